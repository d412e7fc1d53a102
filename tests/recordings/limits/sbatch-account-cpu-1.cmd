dora: sbatch --job-name=account-cpu-1 --cpus-per-task=2 --wrap 'sleep 600'
