ada: scontrol show job 99999
