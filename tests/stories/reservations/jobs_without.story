# Jobs without a reservation keep off its nodes if they could still run when it begins.
nodes n[1-3] cpus=4

story: a job that may run into the reservation does not start on its nodes
0:00    root creates reservation R start=10:00 duration=20:00 nodes=n1 users=ann
0:01    bob submits A nodelist=n1 limit=15:00   => A waits ReqNodeNotAvail, expected 30:00
0:02    bob submits B nodelist=n1 limit=5:00    => B starts on n1
0:03    bob submits C cpus=4 limit=1:00:00      => C starts on n2
30:00                                           => A starts on n1

story: a job that needs more nodes than reservations leave waits for their end, and no job waits for it
0:00    root creates reservation R start=10:00 duration=20:00 nodes=n1 users=ann
0:01    bob submits A nodes=3 cpus=4 limit=15:00  => A waits ReqNodeNotAvail, expected 30:00
0:02    cat submits B nodes=1 cpus=4 limit=40:00  => B starts on n2

story: the reservation's own users keep off as well where they do not ask for it
0:00    root creates reservation R start=now duration=20:00 nodes=n1 users=ann
0:01    ann submits A nodelist=n1 limit=5:00                => A waits ReqNodeNotAvail, expected 20:00
0:02    ann submits B reservation=R nodelist=n1 limit=5:00  => B starts on n1

story: what would end exactly when the reservation begins may start
0:00    root creates reservation R start=30:00 duration=20:00 nodes=n1 users=ann
0:30    bob submits A nodelist=n1 limit=29:00  => A starts on n1

story: jobs start before and behind the reservation
0:00    bob submits A nodes=3 cpus=4 limit=10:00   => A starts
0:01    root creates reservation R start=20:00 duration=20:00 nodes=n[1-3] users=ann
0:02    bob submits B nodes=3 cpus=4 limit=15:00   => B waits Resources
0:03    bob submits C nodes=3 cpus=4 limit=8:00    => C waits Priority
10:00                                              => C starts
40:00                                              => B starts

story: nodes that are kept for others do not count beside a reservation
partition main nodes=n[1-2] Default=YES PriorityTier=1
partition side nodes=n1 PriorityTier=10
partition rest nodes=n3
tags: same-reasons
0:00    bob submits A cpus=3 limit=30:00 partition=side             => A starts on n1
0:10    root creates reservation R start=25:00 duration=10:00 nodes=n2 users=ann
0:20    bob submits B cpus=2 limit=30:00 partition=main,side        => B waits ReqNodeNotAvail
0:30    bob submits C cpus=4 limit=20:00 partition=side             => C waits Priority
