ada: scontrol update jobid=1 account=biology
