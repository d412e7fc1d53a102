# A job that has its node for itself can be preempted like any other.
nodes n1 cpus=8 memory=4000
partition main nodes=n1 Default=YES PriorityTier=1
partition side nodes=n1 PriorityTier=10
set preemption.type=partition_prio preemption.mode=requeue
tags: same-reasons
0:00  ann submits A cpus=5 limit=20:00 exclusive                => A starts
0:20  bob submits C cpus=6 limit=10:00 partition=side           => C runs, A waits BeginTime
