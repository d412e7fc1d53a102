cleo: sbatch --job-name=account-jobs-2  --wrap 'sleep 600'
