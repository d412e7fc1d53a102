ada: scontrol show job
