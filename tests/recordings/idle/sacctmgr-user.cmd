ada: sacctmgr --parsable2 show user withassoc
