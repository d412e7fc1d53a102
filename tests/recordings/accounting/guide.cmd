root: sacct -a -S now-1hour -PXD -o JobID,User,Account,QOS,Partition,Submit,Start,ElapsedRaw,TimelimitRaw,ReqTRES,AllocTRES,State
