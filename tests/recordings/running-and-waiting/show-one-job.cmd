ada: scontrol show job 1
