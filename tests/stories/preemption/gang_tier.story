# A partition of a higher tier over gang scheduling: no turns between tiers. Lower jobs sleep until
# their CPUs are free again.
nodes n1 cpus=2 memory=4000
partition lo nodes=all default=yes priority_tier=1 oversubscribe=force:2
partition hi nodes=all priority_tier=10 oversubscribe=force:1
set preemption.type=partition_prio preemption.mode=suspend preemption.gang=yes preemption.time_slice=10s

story: A job of a higher tier suspends, and for as long as it runs no turn comes
tolerance: 12s
0:00  bob submits A cpus=2 limit=1:00:00                         => A starts on n1
0:10  andy submits H cpus=2 partition=hi limit=1:00:00 runs=50s  => A is suspended, H starts on n1
0:45                                                             => H runs, A is suspended
1:15                                                             => A runs
