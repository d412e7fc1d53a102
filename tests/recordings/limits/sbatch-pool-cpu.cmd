ada: sbatch --job-name=pool-cpu --account=physics --qos=pool --cpus-per-task=4 --mem=2500 --wrap 'sleep 600'
