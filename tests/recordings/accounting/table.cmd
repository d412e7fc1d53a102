root: sacct -a -S now-1hour -X -o State,AllocTRES,Elapsed,Submit,JobID,User
