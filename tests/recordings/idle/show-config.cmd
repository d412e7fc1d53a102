ada: scontrol show config
