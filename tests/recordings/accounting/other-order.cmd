root: sacct -a -S now-1hour -PXD -o State,JobName,AllocTRES,Elapsed,Timelimit,Submit,JobID,User,ReqMem,End,Start,NNodes
