sacctmgr --noheader --parsable2 show account format=Account,Organization,Description
