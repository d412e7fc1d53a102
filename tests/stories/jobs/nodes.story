# Nodes that go away.
nodes n[1-2] cpus=4

story: A drained node ends what runs there in peace and takes nothing new
0:00  ann submits A cpus=4 limit=10:00 runs=5:00  => A starts on n1
0:01  node n1 drains                    => A runs
0:02  ann submits B cpus=4 limit=10:00  => B starts on n2
0:03  ann submits C cpus=4 limit=10:00  => C waits Resources
5:00                                    => A ends COMPLETED, C is pending
6:00  node n1 comes back                => C starts on n1

story: A job that may not be requeued ends with its node
0:00  ann submits A cpus=4 limit=10:00 requeue=no  => A starts on n1
0:10  node n1 goes down                 => A ends NODE_FAIL
3:00                                    => A ended NODE_FAIL

story: A job on a node that goes down is requeued and runs elsewhere
0:00  ann submits A cpus=4 limit=10:00  => A starts on n1
0:10  node n1 goes down                 => A is requeued
3:00                                    => A runs on n2

story: A job that needs a node which is down starts when it is back
0:00  node n2 goes down
0:01  ann submits A nodes=2 limit=10:00 => A is pending
0:10  node n2 comes back                => A starts on n[1-2]

story: A job for one named node waits for that node, others pass
0:00  node n2 drains
0:01  ann submits A nodelist=n2 limit=10:00  => A is pending
0:02  ann submits B limit=10:00              => B starts on n1
0:10  node n2 comes back                     => A starts on n2

story: A job for one named node waits for that node
0:00  node n2 drains
0:01  ann submits A nodelist=n2 limit=10:00  => A waits ReqNodeNotAvail
0:02  ann submits B limit=10:00              => B starts on n1
0:10  node n2 comes back                     => A starts on n2

story: A job on a node that goes down is requeued and starts elsewhere
0:00  ann submits A cpus=4 limit=10:00  => A starts on n1
0:10  node n1 goes down                 => A ends NODE_FAIL, A is requeued, A waits BeginTime
3:00                                    => A runs on n2

story: A job that needs a node which is down waits for it
0:00  node n2 goes down
0:01  ann submits A nodes=2 limit=10:00 => A waits Resources
0:10  node n2 comes back                => A starts on n[1-2]
