root: scontrol update nodename=c2 state=down reason=lost
