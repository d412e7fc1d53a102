root: sacctmgr -i add qos x Nonsense=1
