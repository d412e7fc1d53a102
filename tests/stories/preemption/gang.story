# Gang scheduling: jobs share CPUs and take turns.
nodes n1 cpus=4 memory=4000
partition p nodes=all oversubscribe=force:2
set preemption.gang=yes preemption.time_slice=10s

story: Each CPU is shared by two at most
0:00  ann submits A cpus=4 limit=30:00               => A starts
0:01  ann submits B cpus=4 limit=30:00               => B is suspended on n1
0:02  ann submits C cpus=1 limit=30:00               => C waits Resources

story: Shared jobs share no memory
0:00  ann submits A cpus=4 mem=2500 limit=30:00      => A starts
0:01  ann submits B cpus=4 mem=2500 limit=30:00      => B waits Resources
