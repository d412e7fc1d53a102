# Too many CPUs for a partition are reported before too many nodes, and before too long a time.
nodes n[1-2] cpus=2 memory=4000
partition main nodes=n[1-2] Default=YES
partition side nodes=n1
partition capped nodes=n[1-2] MaxNodes=1
partition timed nodes=n1 MaxTime=5

story: Two nodes with all their CPUs, in a partition of one node
account team users=ann GrpTRES=node=1
0:00  ann submits A nodes=2 cpus=2 limit=10:00 partition=side    => A waits PartitionConfig
0:00  ann submits B nodes=2 cpus=1 limit=10:00 partition=side    => B waits PartitionNodeLimit

story: Too many CPUs behind MaxNodes
0:00  ann submits A nodes=3 cpus=2 limit=10:00 partition=capped  => A waits PartitionConfig
0:00  ann submits B nodes=2 cpus=2 limit=10:00 partition=capped  => B waits PartitionNodeLimit

story: Too many CPUs and too long a time
0:00  ann submits A tasks=3 limit=10:00 partition=timed          => A waits PartitionConfig
0:00  ann submits B nodes=2 limit=10:00 partition=timed          => B waits PartitionNodeLimit
