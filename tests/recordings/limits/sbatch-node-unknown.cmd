ada: sbatch --job-name=node-unknown --nodelist=nosuch --wrap 'sleep 600'
