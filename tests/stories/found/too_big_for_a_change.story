# slurmctld changes nothing about a job that asks for more CPUs than its partition has, nor makes one
# of another. Of several partitions the last that could not take a job decides what becomes of it.
nodes n[1-3] cpus=4
partition main nodes=n[1-3] Default=YES
partition side nodes=n[1-2] MaxNodes=1
partition tiny nodes=n1
partition brief nodes=n[1-3] MaxTime=20
qos q Priority=5

story: Whatever leaves it too big is refused
tags: same-reasons
0:00  ann submits A limit=60:00 tasks=9 partition=side    => A waits PartitionConfig
0:10  root updates A nice=5                               => A is refused "Requested partition configuration not available now"
0:20  root updates A qos=q                                => A is refused "Requested partition configuration not available now"
0:30  root updates A limit=50:00                          => A is refused "Requested partition configuration not available now"
0:50  root updates A partition=main                       => A starts

# slurmctld makes the change all the same; here nothing is changed.
story: A change that makes it too big is refused
0:00  ann submits X limit=60:00 tasks=12                  => X starts
0:10  ann submits A limit=60:00 tasks=3 partition=side    => A waits
0:20  root updates A cpus=9                               => A is refused "Requested partition configuration not available now"

story: Several partitions, none of which has enough
0:00  ann submits A limit=10:00 tasks=9 partition=tiny,side           => A is refused "Requested node configuration is not available"
0:10  ann submits B limit=10:00 tasks=6 nodes=2 partition=tiny,side   => B waits
0:20  ann submits C limit=10:00 tasks=6 nodes=2 partition=side,tiny   => C is refused "Requested node configuration is not available"
0:30  ann submits D limit=60:00 tasks=6 partition=brief,tiny          => D waits
