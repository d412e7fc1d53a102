ada: squeue
