# MaxNodes of a partition and jobs that ask for a range of nodes.
nodes n[1-3] cpus=2
partition main nodes=n[1-3] Default=YES MaxNodes=1
partition two nodes=n[1-3] MaxNodes=2
partition any nodes=n[1-3]
qos over Flags=PartitionMaxNodes
account team users=ann

story: The end of the range counts
tags: same-reasons same-nodes
0:00  ann submits A nodes=1-2 limit=10:00                              => A waits PartitionNodeLimit
0:01  ann submits B nodes=1-3 partition=two limit=10:00                => B waits PartitionNodeLimit
0:02  ann submits C nodes=1-2 partition=two tasks=3 limit=10:00        => C starts
0:03  ann submits D limit=10:00                                        => D starts

story: More nodes than there are may be named as the end
tags: same-nodes
0:00  ann submits A nodes=1-5 partition=any tasks=2 limit=10:00        => A starts
0:01  ann submits B nodes=1-2 partition=main,any tasks=2 limit=10:00   => B starts

story: A QoS may lift it
tags: same-nodes
0:00  ann submits A nodes=1-2 qos=over tasks=2 limit=10:00             => A starts

story: One GPU is on one node, so no more nodes than GPUs are asked for
nodes g[1-2] cpus=2 gpus=2
partition main nodes=g[1-2] Default=YES MaxNodes=1
tags: same-reasons same-nodes
0:00  ann submits A nodes=1-2 gpus=1 limit=10:00                       => A starts
0:01  ann submits B nodes=1-3 gpus=2 limit=10:00                       => B waits PartitionNodeLimit
