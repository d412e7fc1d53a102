ada: squeue --array --sort=i
