cleo: sbatch --job-name=account-jobs-3  --wrap 'sleep 600'
