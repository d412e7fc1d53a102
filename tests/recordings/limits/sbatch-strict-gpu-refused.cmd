ada: sbatch --job-name=strict-gpu-refused --account=physics --qos=strict --gres=gpu:2 --wrap 'sleep 600'
