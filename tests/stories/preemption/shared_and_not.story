# Jobs that share CPUs (OverSubscribe) and jobs that do not never meet on a node.

story: A job of a partition that does not share waits, although it might suspend those that do
tags: same-nodes same-reasons
set preemption.type=partition_prio preemption.mode=suspend preemption.gang=yes
nodes n1 cpus=2
partition lo nodes=n1 Default=YES PriorityTier=1 OverSubscribe=FORCE:2
partition hi nodes=n1 PriorityTier=10 OverSubscribe=NO
0:00  ann submits A cpus=2 limit=10:00                   => A starts on n1
0:10  bob submits H cpus=2 partition=hi limit=10:00      => H waits Resources, A runs

story: Free CPUs beside those that share are not for others, nor the other way round
tags: same-nodes same-reasons
set preemption.type=partition_prio preemption.mode=suspend preemption.gang=yes
nodes n[1-3] cpus=4
partition lo nodes=n[1-3] Default=YES PriorityTier=1 OverSubscribe=FORCE:2
partition no nodes=n[1-3] PriorityTier=1 OverSubscribe=NO
0:00  ann submits A cpus=1 limit=10:00                   => A starts on n1
0:10  bob submits B cpus=1 partition=no limit=10:00      => B starts on n2
0:20  ann submits C cpus=3 limit=10:00                   => C starts on n1
0:30  bob submits D cpus=3 partition=no limit=10:00      => D starts on n2
0:40  bob submits E cpus=1 partition=no limit=10:00      => E starts on n3
0:50  ann submits F cpus=2 limit=10:00                   => F is suspended on n1
