root: sacct -a -S now-1hour -pX -o JobID,Submit,Start,End,NCPUS,ReqMem,User
