# QoS that may go beyond what a partition allows.
nodes n[1-4] cpus=4
partition main nodes=n[1-4] Default=YES max_nodes=2 min_nodes=2
account team users=ann,bob
qos wide Flags=PartitionMaxNodes
qos narrow Flags=PartitionMinNodes

story: PartitionMaxNodes lets a QoS use more nodes than the partition allows
0:00  ann submits A nodes=3 limit=10:00                => A waits PartitionNodeLimit
0:01  ann submits B nodes=3 limit=10:00 qos=wide       => B starts

story: PartitionMinNodes lets a QoS use fewer nodes than the partition asks for
0:00  ann submits A limit=10:00 -- -N1-1               => A waits PartitionNodeLimit
0:01  ann submits B limit=10:00 qos=narrow -- -N1-1    => B starts
