ada: sacctmgr --parsable2 show assoc tree withsubaccounts
