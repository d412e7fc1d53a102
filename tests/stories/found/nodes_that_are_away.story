# Partitions with too few nodes, and what comes before that.

story: A partition whose only node is drained is short of room, not of that node
nodes n[1-3] cpus=4
partition main nodes=n[1-3] Default=YES
partition side nodes=n1
tags: same-reasons
0:00  ann submits A limit=10:00 nodes=2                         => A starts on n[1-2]
0:20  node n1 drains
0:30  bob submits D cpus=2 limit=20:00 partition=side           => D waits Resources
0:40  bob submits E cpus=2 limit=20:00 partition=side           => E waits Priority
0:50  root cancels A                                            => D waits Resources

story: A job of more nodes than are up waits for room and closes its partition
nodes n[1-2] cpus=2
tags: same-reasons
0:00  ann submits A cpus=1 limit=60:00                          => A starts on n1
0:10  ann submits B cpus=2 limit=60:00                          => B starts on n2
0:20  bob submits C cpus=2 limit=60:00 nodes=2                  => C waits Resources
0:50  node n1 drains                                            => C waits Resources
1:00  ann submits G cpus=1 limit=60:00                          => G waits Priority

story: Without enough nodes licenses are not looked at
nodes n[1-2] cpus=2
license lic=2
tags: same-reasons
0:00  bob submits A cpus=1 limit=30:00 licenses=lic:2           => A starts
0:10  ann submits B cpus=2 limit=60:00 nodes=2 licenses=lic:2   => B waits Licenses
0:20  node n2 drains                                            => B waits Resources

story: Licenses come before limits
nodes n[1-2] cpus=4
account team users=ann,bob
license lic=2
set scheduler.type=builtin
qos q MaxJobsPerUser=1
tags: same-reasons
0:00  ann submits A cpus=1 limit=60:00 licenses=lic:2           => A starts
0:30  bob submits D cpus=1 limit=20:00 licenses=lic:2 qos=q     => D waits Licenses
0:40  bob submits E cpus=4 limit=20:00 qos=q                    => E starts, D waits Licenses
