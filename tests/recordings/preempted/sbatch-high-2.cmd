ben: sbatch --job-name=high-2 --qos=high --nodelist=c2 --cpus-per-task=4 --wrap 'sleep 600'
