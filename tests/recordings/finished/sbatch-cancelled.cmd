ada: sbatch --job-name=cancelled --account=physics --nodelist=g1 --wrap 'sleep 600'
