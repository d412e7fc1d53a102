ada: scontrol show node
