cleo: sbatch --job-name=account-jobs-0  --wrap 'sleep 600'
