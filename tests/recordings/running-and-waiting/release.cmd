ada: scontrol release 5
