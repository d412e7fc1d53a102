ada: sbatch --job-name=account-unknown --account=nosuch --wrap 'sleep 600'
