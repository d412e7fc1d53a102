ada: sbatch --job-name=exit-3 --account=physics --wrap 'exit 3'
