root: sacct --allusers --json
