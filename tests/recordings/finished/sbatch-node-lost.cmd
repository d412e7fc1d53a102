ada: sbatch --job-name=node-lost --account=physics --no-requeue --nodelist=c2 --wrap 'sleep 600'
