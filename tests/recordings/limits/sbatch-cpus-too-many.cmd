ada: sbatch --job-name=cpus-too-many --cpus-per-task=64 --wrap 'sleep 600'
