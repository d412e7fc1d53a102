ada: sbatch --job-name=rerun --account=physics --nodelist=g1 --wrap 'sleep 600'
