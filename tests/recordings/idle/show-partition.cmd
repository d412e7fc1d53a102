ada: scontrol show partition
