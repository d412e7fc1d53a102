cleo: sbatch --job-name=array-mixed --array=1-4 --wrap 'exit $((SLURM_ARRAY_TASK_ID % 2))'
