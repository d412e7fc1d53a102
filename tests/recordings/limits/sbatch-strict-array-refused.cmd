ada: sbatch --job-name=strict-array-refused --account=physics --qos=strict --array=1-4 --wrap 'sleep 600'
