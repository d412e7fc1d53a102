root: scontrol update nodename=c1 state=drain reason='new disk'
