ada: sbatch --job-name=feature-unknown --constraint=nosuch --wrap 'sleep 600'
