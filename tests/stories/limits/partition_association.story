# An association of one partition, and jobs that name several.
policy:
nodes: [{name: "n[1-2]", cpus: 4, memory: 1G}]
partitions: {main: {nodes: n1, default: yes}, side: {nodes: n2}, rest: {nodes: n2}}
accounts:
  physics: {users: [{name: ann}, {name: ann, partition: side}, {name: bob}]}

story: Several partitions are refused where the user has an association of one of them
0:00  ann submits A mem=10M partition=main,side => A is refused "Multiple partition job request not supported when a partition is set in the association"
0:01  ann submits B mem=10M partition=main,rest => B starts
0:02  ann submits C mem=10M partition=side      => C starts
0:03  bob submits D mem=10M partition=main,side => D starts
