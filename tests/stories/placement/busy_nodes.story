# bf_busy_nodes: plans are made on nodes in use first.

nodes n[1-4] cpus=4
set scheduler.backfill_busy_nodes=yes
tags: same-reasons, same-nodes

story: A planned job is put on nodes in use, in their order
0:00  ann submits A tasks=4 limit=10:00 nodelist=n1   => A starts on n1
0:10  ann submits B tasks=4 limit=10:00 nodelist=n2   => B starts on n2
0:20  ann submits C tasks=3 limit=20:00 nodelist=n3   => C starts on n3
0:30  ann submits D tasks=2 limit=30:00 nodelist=n4   => D starts on n4
0:40  bob submits E tasks=3 limit=5:00                => E starts on n[3-4]
0:50  bob submits F tasks=2 limit=5:00                => F waits Resources
