# With --spread-job a job asks for a node for each of its tasks, and MaxNodes is held against that.
nodes n[1-4] cpus=4 memory=4000
partition main nodes=n[1-4] Default=YES
partition one nodes=n[1-3] MaxNodes=1
partition two nodes=n[1-3] MaxNodes=2
tags: same-reasons, same-nodes

story: More tasks than MaxNodes
0:00  ann submits A limit=10:00 tasks=2 spread-job partition=one            => A waits PartitionNodeLimit
0:10  ann submits B limit=10:00 tasks=6 spread-job partition=one            => B waits PartitionNodeLimit
0:20  ann submits C limit=10:00 tasks=3 spread-job partition=two            => C waits PartitionNodeLimit
0:30  ann submits D limit=10:00 tasks=9 spread-job partition=two            => D waits PartitionNodeLimit

story: As many tasks as MaxNodes, and nodes that are named
0:00  ann submits A limit=10:00 tasks=2 spread-job partition=two            => A starts on n[1-2]
0:10  ann submits B limit=10:00 tasks=2 nodes=1 spread-job partition=one    => B starts on n1
0:20  ann submits C limit=10:00 tasks=1 spread-job partition=one            => C starts
