ada: scontrol requeue 7
