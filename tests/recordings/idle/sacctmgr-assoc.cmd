ada: sacctmgr show assoc
