# A time limit that an operator sets may be above MaxTime and MaxWall.
tags: same-reasons
nodes n1 cpus=8
partition main nodes=n1 Default=YES MaxTime=20
qos lim MaxWall=10

story: A job that waits for MaxTime starts when an operator sets its limit, even to a longer one
0:00  ann submits A limit=30:00           => A waits PartitionTimeLimit
0:05  root updates A nice=5               => A waits PartitionTimeLimit
0:10  root updates A limit=25:00          => A starts

story: So does one that waits for MaxWall
0:00  ann submits A qos=lim limit=15:00   => A waits QOSMaxWallDurationPerJobLimit
0:10  root updates A limit=14:00          => A starts

story: What its owner sets after that counts again
0:00  ann submits A qos=lim limit=30:00 hold  => A waits JobHeldUser
0:10  root updates A limit=25:00
0:20  ann updates A limit=12:00
0:30  ann releases A                      => A waits QOSMaxWallDurationPerJobLimit
0:40  root updates A limit=18:00          => A starts
