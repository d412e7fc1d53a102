sacctmgr --noheader --parsable2 show assoc where cluster=lab format=Account,User,Partition,QOS
