ada: scontrol show licenses
