ben: sbatch --job-name=part-cpu-over --partition=capped --cpus-per-task=1 --wrap 'sleep 600'
