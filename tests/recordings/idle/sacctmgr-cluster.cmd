ada: sacctmgr --parsable2 show cluster
