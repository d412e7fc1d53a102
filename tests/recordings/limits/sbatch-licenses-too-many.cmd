ada: sbatch --job-name=licenses-too-many --licenses=matlab:3 --wrap 'sleep 600'
