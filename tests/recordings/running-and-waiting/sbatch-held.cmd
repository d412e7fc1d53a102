ada: sbatch --job-name=held --account=physics --hold --wrap 'sleep 600'
