root: scontrol update nodename=c1 state=resume
