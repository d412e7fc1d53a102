ada: scontrol update jobid=4 qos=nosuch
