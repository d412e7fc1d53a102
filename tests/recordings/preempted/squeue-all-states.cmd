ada: squeue --states=all --sort=i
