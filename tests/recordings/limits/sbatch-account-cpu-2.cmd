dora: sbatch --job-name=account-cpu-2 --cpus-per-task=2 --wrap 'sleep 600'
