# A job that only more nodes than MaxNodes could hold is refused, unless it asks for more itself.
tags: same-reasons
nodes n1 cpus=16 memory=8000
nodes n[2-4] cpus=4 memory=8000
partition main nodes=n[1-4] Default=YES
partition side nodes=n[2-4] MaxNodes=1
partition two nodes=n[2-4] MaxNodes=2
qos over Flags=PartitionMaxNodes

0:00  ann submits A tasks=5 limit=10:00 partition=side           => A is refused "Requested node configuration is not available"
0:05  ann submits B tasks=9 limit=10:00 partition=two            => B is refused "Requested node configuration is not available"
0:10  ann submits C tasks=8 limit=10:00 partition=two            => C starts on n[2-3]
0:15  ann submits D nodes=2 tasks=5 limit=10:00 partition=side   => D waits PartitionNodeLimit
0:20  ann submits E tasks=4 limit=10:00 partition=side           => E starts on n4
0:25  C ends
0:30  ann submits F tasks=5 limit=10:00 partition=side qos=over  => F is refused "Requested node configuration is not available"
0:35  ann submits G nodes=2 tasks=5 limit=10:00 partition=side qos=over  => G starts on n[2-3]
