ada: squeue --job 8
