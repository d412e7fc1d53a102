ada: scontrol show job 8
