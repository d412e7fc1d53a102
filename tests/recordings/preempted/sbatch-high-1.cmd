ben: sbatch --job-name=high-1 --qos=high --nodelist=c1 --cpus-per-task=4 --wrap 'sleep 600'
