ada: sbatch --job-name=time-too-long --account=physics --partition=short --time=60 --wrap 'sleep 600'
