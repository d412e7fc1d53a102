root: sacctmgr -i modify qos nosuch set Priority=1
