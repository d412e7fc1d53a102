ada: sbatch --job-name=licensed --account=physics --licenses=matlab:2 --wrap 'sleep 600'
