cleo: sbatch --job-name=array --array=1-6%2 --mem=200 --wrap 'sleep 600'
