ada: sbatch --job-name=after-next --account=physics --nodes=2 --ntasks=8 --constraint=cpu --wrap 'sleep 600'
