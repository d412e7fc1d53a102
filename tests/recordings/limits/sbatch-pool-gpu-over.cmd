ben: sbatch --job-name=pool-gpu-over --qos=pool --gres=gpu:2 --mem=100 --wrap 'sleep 600'
