ada: sbatch --job-name=memory-too-big --mem=1T --wrap 'sleep 600'
