sacctmgr --noheader --parsable2 show cluster format=Cluster
