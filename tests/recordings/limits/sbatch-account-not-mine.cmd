dora: sbatch --job-name=account-not-mine --account=physics --wrap 'sleep 600'
