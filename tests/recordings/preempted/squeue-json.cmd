ada: squeue --json
