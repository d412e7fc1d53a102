ada: sacctmgr --parsable2 show account withassoc
