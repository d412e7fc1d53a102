ada: sacct --job 99999
