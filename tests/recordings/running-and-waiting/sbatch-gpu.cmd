ada: sbatch --job-name=gpu --account=physics --gres=gpu:a100:1 --cpus-per-task=2 --mem=2G --time=30 --comment='sluice:k1 x' --wrap 'sleep 600'
