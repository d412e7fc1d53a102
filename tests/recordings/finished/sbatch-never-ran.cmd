ada: sbatch --job-name=never-ran --account=physics --hold --wrap 'sleep 600'
