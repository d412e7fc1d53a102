# Backfill plans the waiting by whole nodes, and those that run by their CPUs.

story: A planned job takes its whole node from its planned start on
nodes n1 cpus=4
0:00  ann submits A cpus=3 limit=10:00    => A starts on n1
0:01  bob submits B cpus=2 limit=10:00    => B waits Resources, expected 10:00 on n1
0:02  cat submits C cpus=1 limit=30:00    => C waits Priority, expected 20:00 on n1

story: What ends before the planned start fills the gap
nodes n1 cpus=4
0:00  ann submits A cpus=3 limit=10:00    => A starts on n1
0:01  bob submits B cpus=2 limit=10:00    => B waits Resources, expected 10:00
0:02  cat submits C cpus=1 limit=5:00     => C starts on n1
10:00                                     => B starts

story: A gap is taken only by what ends no later than the plan
nodes n1 cpus=4
0:00  ann submits A cpus=3 limit=10:00    => A starts
0:02  bob submits B cpus=2 limit=10:00    => B waits Resources, expected 10:00
0:04  cat submits C cpus=1 limit=10:00    => C waits Priority
0:05  dan submits D cpus=1 limit=9:00     => D starts

story: Plans on one node follow each other, but an early end starts all that fit
nodes n1 cpus=4
0:00  ann submits A cpus=4 limit=10:00    => A starts
0:01  bob submits B cpus=1 limit=10:00    => B waits Resources, expected 10:00
0:02  cat submits C cpus=1 limit=10:00    => C waits Priority, expected 20:00
0:03  dan submits D cpus=1 limit=10:00    => D waits Priority, expected 30:00
1:00  ann cancels A                       => A ends CANCELLED, B starts, C starts, D starts

story: A node that no job is planned for can be used at once
nodes n[2-3] cpus=4
0:00  ann submits A cpus=3 nodelist=n2 limit=10:00   => A starts on n2
0:01  ann submits E cpus=3 nodelist=n3 limit=20:00   => E starts on n3
0:02  bob submits B cpus=4 limit=10:00               => B waits Resources, expected 10:00 on n2
0:03  cat submits C cpus=1 limit=30:00               => C starts on n3
0:04  dan submits G cpus=1 limit=9:00                => G starts on n2

story: A job stopped by a limit reserves nothing
nodes n1 cpus=4
qos small GrpTRES=cpu=1
0:00  ann submits A cpus=2 qos=small limit=10:00     => A waits QOSGrpCpuLimit
0:01  bob submits B cpus=2 limit=1:00:00             => B starts
0:02  cat submits C cpus=3 limit=10:00               => C waits Resources, expected 1:00:01
0:03  dan submits D cpus=1 limit=2:00:00             => D waits Priority

story: A QoS with NoReserve waits without a reservation
nodes n1 cpus=4
qos shy Flags=NoReserve
0:00  ann submits A cpus=3 limit=10:00           => A starts
0:01  bob submits B cpus=2 qos=shy limit=10:00   => B waits Resources
0:02  cat submits C cpus=1 limit=30:00           => C starts

story: Ends that lie close together, for their distance, are looked at together
tags: same-nodes same-reasons
nodes n[1-3] cpus=4
0:00  ann submits A tasks=4 limit=60:00                  => A starts on n1
0:10  ann submits B tasks=4 limit=70:00                  => B starts on n2
0:20  ann submits C tasks=4 limit=74:00                  => C starts on n3
0:30  bob submits D nodes=2 tasks=8 limit=10:00          => D waits Resources, expected 1:14:20 on n[1-2]
0:40  bob submits E nodes=1 tasks=4 limit=20:00          => E waits Priority, expected 1:14:20 on n3

story: The first end alone, and ends on nodes that a job cannot use, are no reason to wait longer
tags: same-nodes same-reasons
nodes n[1-2] cpus=4 features=fast
nodes n3 cpus=4
0:00  ann submits A tasks=4 nodelist=n1 limit=60:00      => A starts on n1
0:10  ann submits B tasks=4 nodelist=n2 limit=70:00      => B starts on n2
0:20  ann submits C tasks=4 nodelist=n3 limit=74:00      => C starts on n3
0:30  bob submits D nodes=2 tasks=8 constraint=fast limit=10:00  => D waits Resources, expected 1:10:10 on n[1-2]

story: A short job before all other ends makes the groups longer, and the first job's plan later
tags: same-nodes same-reasons
nodes n[1-3] cpus=4
0:00  ann submits A tasks=4 limit=60:00              => A starts on n1
0:10  ann submits B tasks=4 limit=63:00              => B starts on n2
0:20  bob submits D nodes=2 tasks=8 limit=10:00      => D waits Resources, expected 1:00:00 on n[1,3]
0:30  cat submits E tasks=1 limit=61:00              => E waits Priority
1:00  cat submits C tasks=1 limit=1:00               => C starts on n3, D waits Resources, expected 1:03:10 on n[1-2], E starts on n3
1:00:00                                              => A ends TIMEOUT, D waits Resources
1:02:00                                              => E ends TIMEOUT, D starts on n[1,3]
