scontrol show config
