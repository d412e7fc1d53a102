ada: sbatch --parsable --account=physics --time=1 --wrap true
