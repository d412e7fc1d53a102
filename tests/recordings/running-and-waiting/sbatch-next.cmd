ben: sbatch --job-name=next --nodes=2 --ntasks=8 --constraint=cpu --time=20 --wrap 'sleep 600'
