# Gang scheduling: jobs share CPUs and take turns.
nodes n1 cpus=4 memory=4000
partition p nodes=all oversubscribe=force:2
set preemption.gang=yes preemption.time_slice=10s

story: What does not fit beside the others starts asleep and takes turns
0:00  ann submits A limit=30:00
0:00  ann submits B limit=30:00
0:00  ann submits C limit=30:00
0:00  ann submits D limit=30:00                      => A runs, B runs, C runs, D runs
0:01  bob submits E limit=30:00                      => E is suspended on n1
0:01  bob submits F limit=30:00                      => F is suspended on n1
0:25                                                 => E runs, F runs, C runs, D runs, A is suspended, B is suspended
0:35                                                 => A runs, B runs, C runs, D runs, E is suspended, F is suspended
