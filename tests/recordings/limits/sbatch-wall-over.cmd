ada: sbatch --job-name=wall-over --account=physics --qos=pool --time=5:00:00 --wrap 'sleep 600'
