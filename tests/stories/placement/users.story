# Nodes for one user at a time: --exclusive=user, and partitions with ExclusiveUser.

nodes n[1-3] cpus=4
tags: same-reasons, same-nodes

story: --exclusive=user keeps others away, not its own user
0:00  ann submits A tasks=1 limit=10:00 exclusive=user   => A starts on n1
0:10  bob submits B tasks=1 limit=20:00                  => B starts on n2
0:20  ann submits C tasks=1 limit=20:00                  => C starts on n1
0:30  bob submits D tasks=1 limit=20:00 exclusive=user   => D starts on n2
0:40  cat submits E tasks=1 limit=20:00                  => E starts on n3
0:50  cat submits F tasks=8 limit=20:00                  => F waits Resources
1:00  dan submits G tasks=1 limit=5:00                   => G starts on n3
1:10  dan submits H tasks=1 limit=5:00 exclusive=user    => H waits Priority

story: It waits until other users' jobs have left
0:00  ann submits A nodes=3 tasks=3 limit=10:00          => A starts on n[1-3]
0:10  bob submits B tasks=1 limit=10:00 exclusive=user   => B waits Resources
0:20  cat submits C tasks=1 limit=5:00                   => C starts on n1
0:30  ann submits D tasks=1 limit=5:00                   => D starts on n1

story: A job waits for nodes that are another user's
0:00  ann submits A nodes=2 tasks=2 limit=10:00 exclusive=user  => A starts on n[1-2]
0:10  bob submits B nodes=2 tasks=2 limit=10:00                 => B waits Resources
0:20  cat submits C tasks=1 limit=5:00                          => C starts on n3
0:30  ann submits D tasks=1 limit=5:00                          => D starts on n1
0:50  A ends                                                    => B starts on n[1-2]

story: ExclusiveUser of a partition
nodes n4 cpus=4
partition p nodes=n[1-2] default=yes exclusive_user=yes
partition o nodes=n[2-4]
0:00  ann submits A tasks=1 limit=10:00                      => A starts on n1
0:10  bob submits B tasks=1 limit=10:00                      => B starts on n2
0:20  cat submits C tasks=1 limit=10:00 partition=o          => C starts on n3
0:30  cat submits D tasks=1 limit=10:00                      => D waits Resources
