# OverTimeLimit of a partition comes before that of the cluster.
nodes n[1-4] cpus=4
tags: same-reasons
set jobs.over_time_limit=1m
partition p nodes=n[1-2] default=yes over_time_limit=3m
partition o nodes=n[3-4]
0:00  ann submits A tasks=1 limit=1:00                => A starts on n1
0:00  ann submits B tasks=1 limit=1:00 partition=o    => B starts on n3
2:00  time passes                                     => A runs, B ends TIMEOUT
4:00  time passes                                     => A ends TIMEOUT
