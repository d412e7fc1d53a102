# A short job may jump ahead only if the job it overtakes starts no later.
nodes   n[1-2] cpus=4
0:00    ann submits A  nodes=1 cpus=4 limit=10:00     => A starts
0:01    bob submits B  nodes=2 cpus=4 limit=10:00     => B waits Resources, expected 10:00
0:02    cat submits C  nodes=1 cpus=4 limit=9:00      => C starts on n2
0:03    dan submits D  nodes=1 cpus=4 limit=20:00     => D waits Priority
10:00                                                 => B starts
