ada: sacctmgr -i add qos mine
