root: sacct --allusers
