# --prefer: features that count in place of --constraint, as long as there are nodes for them.

nodes n[1-2] cpus=4 features=a
nodes n[3-4] cpus=4 features=b
tags: same-reasons, same-nodes

story: Nodes with what it prefers come first, then the others
0:00  ann submits A tasks=4 limit=10:00 prefer=b               => A starts on n3
0:10  ann submits B tasks=4 limit=10:00 prefer=b               => B starts on n4
0:20  ann submits C tasks=4 limit=10:00 prefer=b               => C starts on n1
0:30  ann submits D tasks=4 limit=10:00 prefer=b constraint=a  => D starts on n2
0:40  ann submits E tasks=4 limit=10:00 prefer=b constraint=a  => E waits Priority
0:50  A ends                                                   => E starts on n3

story: It is refused where its preferred nodes could never hold it
0:00  ann submits A tasks=4 limit=10:00 prefer=zzz                => A is refused "Invalid preferred feature specification"
0:10  ann submits B tasks=4 limit=10:00 prefer=b constraint=zzz   => B is refused "Invalid feature specification"
0:20  ann submits C tasks=4 limit=10:00 prefer=a&b                => C is refused "Requested node configuration is not available"
0:30  ann submits D tasks=1 limit=10:00 prefer=a&b constraint=b   => D is refused "Requested node configuration is not available"
0:40  ann submits E nodes=3 tasks=3 limit=10:00 prefer=b          => E is refused "Requested node configuration is not available"

story: It is planned without what it prefers
0:00  ann submits A tasks=4 limit=10:00 nodelist=n3   => A starts on n3
0:05  ann submits B tasks=4 limit=8:00 nodelist=n4    => B starts on n4
0:10  ann submits C tasks=3 limit=10:00 prefer=b      => C starts on n1
0:15  ann submits D tasks=4 limit=6:00 nodelist=n2    => D starts on n2
0:20  bob submits E tasks=2 limit=10:00 prefer=b      => E waits Priority, expected 6:15
0:40  D ends                                          => E starts on n2

story: Jobs are pushed off the preferred nodes before others that are free are taken
set preemption.type=qos preemption.mode=requeue
qos low Priority=0
qos high Priority=10 Preempt=low
0:00  ann submits A nodes=2 tasks=8 qos=low limit=10:00 nodelist=n[1-2]  => A starts on n[1-2]
0:10  bob submits B tasks=4 qos=high limit=10:00 prefer=a                => B starts on n1, A waits BeginTime
0:20  bob submits C tasks=4 qos=high limit=10:00 prefer=a                => C starts on n2
0:30  bob submits D tasks=4 qos=high limit=10:00 prefer=a                => D starts on n3
