ada: sacctmgr --parsable2 show qos
