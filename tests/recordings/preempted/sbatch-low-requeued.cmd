ada: sbatch --job-name=low-requeued --account=physics --qos=low --nodelist=c1 --cpus-per-task=4 --wrap 'sleep 600'
