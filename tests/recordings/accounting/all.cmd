root: sacct -a -S now-1hour -PD -o ALL
