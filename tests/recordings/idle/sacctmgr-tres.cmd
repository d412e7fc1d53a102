ada: sacctmgr --parsable2 show tres
