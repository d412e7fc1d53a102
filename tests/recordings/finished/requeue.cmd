ada: scontrol requeue 12
