ada: sbatch --job-name=wants-drained --account=physics --nodelist=c1 --wrap 'sleep 600'
