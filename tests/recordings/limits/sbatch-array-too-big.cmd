ada: sbatch --job-name=array-too-big --array=0-5000 --wrap 'sleep 600'
