dora: sbatch --job-name=user-cpu-over --cpus-per-task=3 --wrap 'sleep 600'
