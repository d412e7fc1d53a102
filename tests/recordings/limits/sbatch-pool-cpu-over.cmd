ben: sbatch --job-name=pool-cpu-over --qos=pool --cpus-per-task=3 --mem=100 --wrap 'sleep 600'
