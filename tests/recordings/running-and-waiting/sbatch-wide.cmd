ben: sbatch --job-name=wide --nodes=2 --ntasks=8 --constraint=cpu --time=20 --wrap 'sleep 600'
