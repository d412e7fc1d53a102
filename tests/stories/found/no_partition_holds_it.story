# A job that no node could hold is refused, also where another partition is too small for it.
tags: same-reasons
nodes n1 cpus=4 memory=4000
nodes n[2-3] cpus=2 memory=4000 gpus=2
partition main nodes=n[1-3] Default=YES
partition side nodes=n1
partition short nodes=n[1-3] MaxTime=30

story: Too many CPUs for one partition, no node of the other could hold it
0:00  ann submits A tasks=5 nodes=1-2 gres=gpu:1 partition=main,side limit=10:00   => A is refused "Requested node configuration is not available"
0:01  ann submits B tasks=5 nodes=1-2 gres=gpu:1 partition=side,main limit=10:00   => B is refused "Requested node configuration is not available"
0:02  ann submits C tasks=5 nodes=1-2 gres=gpu:1 partition=side limit=10:00        => C waits PartitionConfig

story: Too long for the partition, and no node could hold it
0:00  ann submits A tasks=5 nodes=1-2 gres=gpu:1 partition=short limit=60:00       => A waits PartitionTimeLimit
0:01  ann submits B tasks=5 nodes=1-2 gres=gpu:1 partition=short,main limit=60:00  => B is refused "Requested node configuration is not available"
0:02  ann submits C tasks=2 nodes=1 partition=short,main limit=60:00               => C starts
