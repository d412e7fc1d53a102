# A plan for when nodes are given up by plans or reservations: slurmctld takes the nodes as they are now
# if these suffice, although others will be freer by then.
tags: same-nodes, same-reasons

story: Nodes that are free now are planned before a tighter one that still runs a job
nodes n[1-2] cpus=4
nodes n[3-4] cpus=6
0:00   ann submits B tasks=6 nodelist=n3 limit=60:00      => B starts on n3
0:10   root creates reservation R nodes=n2,n4 start=now duration=20:00 users=ann
0:20   ann submits H tasks=5 limit=20:00 reservation=R    => H starts on n4
0:30   ann submits D tasks=5 limit=30:00                  => D waits Resources, expected 20:10 on n[1-2]
0:40   bob submits F tasks=2 limit=30:00                  => F waits Priority, expected 20:20 on n4
