cleo: scontrol hold 3
