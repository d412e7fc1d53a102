# Which job goes first where nothing but the queue decides.
nodes n1 cpus=4

story: First come, first served
0:00  ann submits X cpus=4 limit=1:00     => X starts
0:01  ann submits A cpus=4 limit=1:00     => A waits Resources
0:02  bob submits B cpus=4 limit=1:00     => B waits Priority
0:03  cat submits C cpus=4 limit=1:00     => C waits Priority, order A B C
1:00                                      => A starts, B waits Resources
2:00                                      => B starts, C waits Resources
3:00                                      => C starts, nothing waits

story: Nice lets others go first
qos normal Priority=10
set priority.weight_qos=1000
0:00  ann submits X cpus=4 limit=1:00
0:01  ann submits A cpus=4 limit=1:00 nice=100
0:02  bob submits B cpus=4 limit=1:00     => order B A, A has priority 900, B has priority 1000
1:00                                      => B starts, A waits Resources

story: A partition of a higher tier goes first
partition low  nodes=n1 default=yes priority_tier=1
partition high nodes=n1 priority_tier=10
0:00  ann submits X cpus=4 limit=1:00
0:01  ann submits A cpus=4 limit=1:00                 => A waits Resources
0:02  bob submits B cpus=4 limit=1:00 partition=high  => B waits Resources, order B A
1:00                                                  => B starts
