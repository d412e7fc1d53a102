ada: scontrol hold 4
