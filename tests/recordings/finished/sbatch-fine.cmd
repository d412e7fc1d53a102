ada: sbatch --job-name=fine --account=physics --wrap true
