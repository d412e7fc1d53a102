ada: sbatch --job-name=later --account=physics --begin=now+1hour --wrap 'sleep 600'
