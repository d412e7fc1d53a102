cleo: sbatch --job-name=account-jobs-1  --wrap 'sleep 600'
