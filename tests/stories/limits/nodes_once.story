# A node that several jobs of a group share counts once against a limit on nodes.
nodes n[1-2] cpus=4
account team users=ann,bob

story: GrpTRES node of a QoS
qos q GrpTRES=node=1
0:00  ann submits A limit=10:00 qos=q                => A starts on n1
0:01  bob submits B limit=10:00 qos=q                => B starts on n1
0:02  bob submits C cpus=4 limit=10:00 qos=q         => C waits QOSGrpNodeLimit
0:03  ann submits D limit=10:00 qos=q                => D starts on n1

story: MaxTRESPerUser node of a QoS
qos q MaxTRESPerUser=node=1
0:00  ann submits A limit=10:00 qos=q                => A starts on n1
0:01  ann submits B limit=10:00 qos=q                => B starts on n1
0:02  ann submits C cpus=4 limit=10:00 qos=q         => C waits QOSMaxNodePerUserLimit
0:03  bob submits D cpus=4 limit=10:00 qos=q         => D starts on n2

story: GrpTRES node of an account
account team GrpTRES=node=1
0:00  ann submits A limit=10:00                      => A starts on n1
0:01  bob submits B limit=10:00                      => B starts on n1
0:02  bob submits C cpus=4 limit=10:00               => C waits AssocGrpNodeLimit

story: A job of more nodes than the limit waits
qos q GrpTRES=node=1
0:00  ann submits A nodes=2 limit=10:00 qos=q        => A waits QOSGrpNodeLimit

story: The node is free for the limit when its last job has ended
qos q GrpTRES=node=1
0:00  ann submits A limit=10:00 qos=q                => A starts on n1
0:01  ann submits B limit=10:00 qos=q                => B starts on n1
0:02  bob submits X limit=60:00 cpus=2               => X starts on n1
0:03  ann submits C cpus=4 limit=10:00 qos=q         => C waits QOSGrpNodeLimit
0:10  root cancels A                                 => C waits QOSGrpNodeLimit
0:20  root cancels B                                 => C starts on n2

story: A node that a waiting job names does not count again where its like run on it
qos q GrpTRES=node=1
0:00  ann submits A qos=q cpus=4 nodelist=n2 limit=60:00   => A starts on n2
0:10  bob submits B qos=q cpus=4 nodelist=n2 limit=60:00   => B waits Resources
0:20  bob submits C qos=q cpus=4 nodelist=n1 limit=60:00   => C waits QOSGrpNodeLimit
