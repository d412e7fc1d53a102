ada: sacctmgr show qos
