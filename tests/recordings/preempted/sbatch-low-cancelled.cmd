ada: sbatch --job-name=low-cancelled --account=physics --qos=low --no-requeue --nodelist=c2 --cpus-per-task=4 --wrap 'sleep 600'
