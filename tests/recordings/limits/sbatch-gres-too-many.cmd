ada: sbatch --job-name=gres-too-many --gres=gpu:9 --wrap 'sleep 600'
