ada: sbatch --job-name=nodes-too-many --account=physics --nodes=9 --wrap 'sleep 600'
