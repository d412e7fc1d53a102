ada: sbatch --job-name=steps --account=physics --ntasks=2 --wrap 'srun hostname; srun --exact -n1 false'
