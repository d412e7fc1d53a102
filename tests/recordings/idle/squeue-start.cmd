ada: squeue --start
