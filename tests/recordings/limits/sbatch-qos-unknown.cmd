ada: sbatch --job-name=qos-unknown --qos=nosuch --wrap 'sleep 600'
