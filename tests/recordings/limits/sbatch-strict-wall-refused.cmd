ada: sbatch --job-name=strict-wall-refused --account=physics --qos=strict --time=2:00:00 --wrap 'sleep 600'
