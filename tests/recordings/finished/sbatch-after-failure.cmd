ada: sbatch --job-name=after-failure --account=physics --dependency=afterok:2 --wrap 'sleep 600'
