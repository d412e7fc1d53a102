ada: squeue --job 99999
