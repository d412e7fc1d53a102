root: sacctmgr -i add qos low
