ada: scontrol update jobid=4 account=biology
