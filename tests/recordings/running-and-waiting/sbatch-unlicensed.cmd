ada: sbatch --job-name=unlicensed --account=physics --licenses=matlab:1 --wrap 'sleep 600'
