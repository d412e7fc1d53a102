sacctmgr --noheader --parsable2 show user withcoord format=User,DefaultAccount,AdminLevel,Coordinators
