# MaxCPUsPerNode: how much of each node the jobs of one partition may have together.
nodes n[1-2] cpus=4
partition main nodes=n[1-2] Default=YES
partition few nodes=n[1-2] MaxCPUsPerNode=2
account team users=ann,bob

story: Jobs of the partition together have no more of a node than it says
tags: same-reasons same-nodes
0:00  ann submits A partition=few limit=10:00                  => A starts on n1
0:01  ann submits B partition=few limit=20:00                  => B starts on n1
0:02  ann submits C partition=few cpus=2 limit=30:00           => C starts on n2
0:03  ann submits D partition=few limit=10:00                  => D waits Resources, expected 10:00
0:04  ann submits E partition=main cpus=2 limit=10:00          => E starts on n2
0:05  ann submits F partition=main cpus=2 limit=5:00           => F starts on n1
10:00                                                          => D starts on n1

story: Jobs of other partitions do not count
tags: same-reasons same-nodes
0:00  bob submits X partition=main cpus=3 limit=60:00          => X starts on n1
0:01  ann submits A partition=few cpus=2 limit=10:00           => A starts on n2
0:02  ann submits B partition=few limit=10:00                  => B starts on n1
0:03  ann submits C partition=few limit=10:00                  => C waits Resources, expected 10:02

story: A job that asks for more CPUs of a node than that is refused
0:00  ann submits A partition=few cpus=3 limit=10:00           => A is refused "Requested node configuration is not available"
0:01  ann submits B partition=few tasks=4 limit=10:00          => B starts
0:02  ann submits C partition=few,main cpus=3 limit=10:00      => C waits Resources

story: Tasks spread over more nodes than they would need
tags: same-nodes
0:00  ann submits A partition=few tasks=3 limit=10:00          => A starts on n[1-2]
0:01  ann submits B partition=few limit=10:00                  => B starts on n2

story: Who waits for the partition's share lets others have the rest
tags: same-reasons
0:00  ann submits A partition=few cpus=2 nodes=2 tasks=2 limit=10:00  => A starts
0:01  ann submits B partition=few cpus=2 limit=10:00           => B waits Resources
0:02  bob submits C partition=main limit=5:00                  => C starts
0:03  bob submits D partition=main cpus=2 limit=60:00          => D starts

story: A job with the node for itself gets all of its CPUs, which is more than it may have
0:00  ann submits A partition=few exclusive limit=10:00        => A is refused "Requested node configuration is not available"
0:01  ann submits B partition=main exclusive limit=10:00       => B starts
0:02  ann submits C partition=few limit=10:00                  => C starts

story: A suspended job does not count
0:00  ann submits A partition=few cpus=2 nodelist=n1 limit=60:00  => A starts
0:10  root suspends A                                          => A is suspended
0:20  ann submits B partition=few nodelist=n1 limit=10:00      => B starts

story: Where cores have two threads, a job gets the last core that it begins whole
tags: same-reasons same-nodes
nodes t[1-2] cpus=8 sockets=1 threads_per_core=2
partition one nodes=t1 MaxCPUsPerNode=1
partition three nodes=t2 MaxCPUsPerNode=3
0:00  ann submits A partition=one limit=10:00                  => A starts, A holds 2 cpus
0:01  ann submits B partition=one limit=10:00                  => B waits Resources
0:02  ann submits C partition=three limit=20:00                => C starts, C holds 2 cpus
0:03  ann submits D partition=three limit=20:00                => D starts, D holds 2 cpus
0:04  ann submits E partition=three limit=20:00                => E waits Resources

story: Tasks are held against what the maximum leaves, not against whole cores
tags: same-reasons same-nodes
nodes t1 cpus=8 sockets=1 threads_per_core=2
partition three nodes=t1 MaxCPUsPerNode=3
0:00  ann submits A partition=three cpus=2 limit=10:00         => A starts, A holds 2 cpus
0:01  ann submits B partition=three cpus=2 limit=10:00         => B waits Resources

story: Preemption inside the partition makes room
qos low Priority=0
qos high Priority=10 preempt=low
set preemption.type=qos preemption.mode=cancel
0:00  bob submits A partition=few cpus=2 qos=low limit=60:00   => A starts on n1
0:01  bob submits B partition=few cpus=2 qos=low limit=60:00   => B starts on n2
0:02  bob submits C partition=main qos=low limit=60:00         => C starts on n1
0:10  ann submits D partition=few cpus=2 qos=high limit=10:00  => A is preempted
0:20                                                           => D runs on n1, B runs, C runs
