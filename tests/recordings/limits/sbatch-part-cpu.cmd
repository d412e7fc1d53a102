ben: sbatch --job-name=part-cpu --partition=capped --cpus-per-task=3 --wrap 'sleep 600'
