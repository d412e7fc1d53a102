ben: sbatch --job-name=pool-mem-over --qos=pool --mem=1000 --wrap 'sleep 600'
