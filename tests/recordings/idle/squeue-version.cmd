ada: squeue --version
