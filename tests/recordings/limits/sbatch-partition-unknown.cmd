ada: sbatch --job-name=partition-unknown --partition=nosuch --wrap 'sleep 600'
