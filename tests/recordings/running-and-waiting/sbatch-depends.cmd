ada: sbatch --job-name=depends --account=physics --dependency=afterok:1 --wrap 'sleep 600'
