# GrpTRESMins and GrpTRESRunMins: minutes used up, and minutes still to be used.
nodes n[1-2] cpus=16 memory=10000 gpus=4
account team users=ann,bob

story: GrpTRESRunMins cpu of the QoS
qos q GrpTRESRunMins=cpu=500
0:00  ann submits A limit=1000 qos=q                          => A waits QOSGrpCPURunMinutesLimit
0:01  ann submits B limit=400 qos=q                           => B starts
0:02  ann submits C limit=400 qos=q                           => C waits QOSGrpCPURunMinutesLimit

story: GrpTRESRunMins cpu of the QoS with DenyOnLimit
qos q GrpTRESRunMins=cpu=500 Flags=DenyOnLimit
0:00  ann submits A limit=1000 qos=q                          => A is refused QOSGrpCPURunMinutesLimit
0:01  ann submits B limit=400 qos=q                           => B starts
0:02  ann submits C limit=400 qos=q                           => C waits QOSGrpCPURunMinutesLimit

story: GrpTRESRunMins cpu of the partition QoS
qos pq GrpTRESRunMins=cpu=500
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A waits QOSGrpCPURunMinutesLimit
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits QOSGrpCPURunMinutesLimit

story: GrpTRESRunMins cpu of the partition QoS with DenyOnLimit
qos pq GrpTRESRunMins=cpu=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A is refused QOSGrpCPURunMinutesLimit
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits QOSGrpCPURunMinutesLimit

story: GrpTRESRunMins cpu of the user
user ann account=team GrpTRESRunMins=cpu=500
0:00  ann submits A limit=1000                                => A waits AssocGrpCPURunMinutesLimit
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits AssocGrpCPURunMinutesLimit

story: GrpTRESRunMins cpu of the account
account team GrpTRESRunMins=cpu=500
0:00  ann submits A limit=1000                                => A waits AssocGrpCPURunMinutesLimit
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits AssocGrpCPURunMinutesLimit

story: GrpTRESMins cpu of the QoS, not yet used up
qos q GrpTRESMins=cpu=500
0:00  ann submits A limit=1000 qos=q                          => A starts

story: GrpTRESMins cpu of the QoS with DenyOnLimit, not yet used up
qos q GrpTRESMins=cpu=500 Flags=DenyOnLimit
0:00  ann submits A limit=1000 qos=q                          => A is refused QOSGrpCPUMinutesLimit

story: GrpTRESMins cpu of the partition QoS, not yet used up
qos pq GrpTRESMins=cpu=500
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A starts

story: GrpTRESMins cpu of the partition QoS with DenyOnLimit, not yet used up
qos pq GrpTRESMins=cpu=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A is refused QOSGrpCPUMinutesLimit

story: GrpTRESMins cpu of the user, not yet used up
user ann account=team GrpTRESMins=cpu=500
0:00  ann submits A limit=1000                                => A starts

story: GrpTRESMins cpu of the account, not yet used up
account team GrpTRESMins=cpu=500
0:00  ann submits A limit=1000                                => A starts

story: GrpTRESRunMins mem of the QoS
qos q GrpTRESRunMins=mem=500000
0:00  ann submits A mem=1000 limit=1000 qos=q                 => A waits QOSGrpMemoryRunMinutes
0:01  ann submits B mem=1000 limit=400 qos=q                  => B starts
0:02  ann submits C mem=1000 limit=400 qos=q                  => C waits QOSGrpMemoryRunMinutes

story: GrpTRESRunMins mem of the QoS with DenyOnLimit
qos q GrpTRESRunMins=mem=500000 Flags=DenyOnLimit
0:00  ann submits A mem=1000 limit=1000 qos=q                 => A is refused QOSGrpMemoryRunMinutes
0:01  ann submits B mem=1000 limit=400 qos=q                  => B starts
0:02  ann submits C mem=1000 limit=400 qos=q                  => C waits QOSGrpMemoryRunMinutes

story: GrpTRESRunMins mem of the partition QoS
qos pq GrpTRESRunMins=mem=500000
partition main nodes=all qos=pq
0:00  ann submits A mem=1000 limit=1000                       => A waits QOSGrpMemoryRunMinutes
0:01  ann submits B mem=1000 limit=400                        => B starts
0:02  ann submits C mem=1000 limit=400                        => C waits QOSGrpMemoryRunMinutes

story: GrpTRESRunMins mem of the partition QoS with DenyOnLimit
qos pq GrpTRESRunMins=mem=500000 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=1000 limit=1000                       => A is refused QOSGrpMemoryRunMinutes
0:01  ann submits B mem=1000 limit=400                        => B starts
0:02  ann submits C mem=1000 limit=400                        => C waits QOSGrpMemoryRunMinutes

story: GrpTRESRunMins mem of the user
user ann account=team GrpTRESRunMins=mem=500000
0:00  ann submits A mem=1000 limit=1000                       => A waits AssocGrpMemRunMinutes
0:01  ann submits B mem=1000 limit=400                        => B starts
0:02  ann submits C mem=1000 limit=400                        => C waits AssocGrpMemRunMinutes

story: GrpTRESRunMins mem of the account
account team GrpTRESRunMins=mem=500000
0:00  ann submits A mem=1000 limit=1000                       => A waits AssocGrpMemRunMinutes
0:01  ann submits B mem=1000 limit=400                        => B starts
0:02  ann submits C mem=1000 limit=400                        => C waits AssocGrpMemRunMinutes

story: GrpTRESMins mem of the QoS, not yet used up
qos q GrpTRESMins=mem=500000
0:00  ann submits A mem=1000 limit=1000 qos=q                 => A starts

story: GrpTRESMins mem of the QoS with DenyOnLimit, not yet used up
qos q GrpTRESMins=mem=500000 Flags=DenyOnLimit
0:00  ann submits A mem=1000 limit=1000 qos=q                 => A is refused QOSGrpMemoryMinutes

story: GrpTRESMins mem of the partition QoS, not yet used up
qos pq GrpTRESMins=mem=500000
partition main nodes=all qos=pq
0:00  ann submits A mem=1000 limit=1000                       => A starts

story: GrpTRESMins mem of the partition QoS with DenyOnLimit, not yet used up
qos pq GrpTRESMins=mem=500000 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=1000 limit=1000                       => A is refused QOSGrpMemoryMinutes

story: GrpTRESMins mem of the user, not yet used up
user ann account=team GrpTRESMins=mem=500000
0:00  ann submits A mem=1000 limit=1000                       => A starts

story: GrpTRESMins mem of the account, not yet used up
account team GrpTRESMins=mem=500000
0:00  ann submits A mem=1000 limit=1000                       => A starts

story: GrpTRESRunMins gres/gpu of the QoS
qos q GrpTRESRunMins=gres/gpu=500
0:00  ann submits A gres=gpu:1 limit=1000 qos=q               => A waits QOSGrpGRESRunMinutes
0:01  ann submits B gres=gpu:1 limit=400 qos=q                => B starts
0:02  ann submits C gres=gpu:1 limit=400 qos=q                => C waits QOSGrpGRESRunMinutes

story: GrpTRESRunMins gres/gpu of the QoS with DenyOnLimit
qos q GrpTRESRunMins=gres/gpu=500 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:1 limit=1000 qos=q               => A is refused QOSGrpGRESRunMinutes
0:01  ann submits B gres=gpu:1 limit=400 qos=q                => B starts
0:02  ann submits C gres=gpu:1 limit=400 qos=q                => C waits QOSGrpGRESRunMinutes

story: GrpTRESRunMins gres/gpu of the partition QoS
qos pq GrpTRESRunMins=gres/gpu=500
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:1 limit=1000                     => A waits QOSGrpGRESRunMinutes
0:01  ann submits B gres=gpu:1 limit=400                      => B starts
0:02  ann submits C gres=gpu:1 limit=400                      => C waits QOSGrpGRESRunMinutes

story: GrpTRESRunMins gres/gpu of the partition QoS with DenyOnLimit
qos pq GrpTRESRunMins=gres/gpu=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:1 limit=1000                     => A is refused QOSGrpGRESRunMinutes
0:01  ann submits B gres=gpu:1 limit=400                      => B starts
0:02  ann submits C gres=gpu:1 limit=400                      => C waits QOSGrpGRESRunMinutes

story: GrpTRESRunMins gres/gpu of the user
user ann account=team GrpTRESRunMins=gres/gpu=500
0:00  ann submits A gres=gpu:1 limit=1000                     => A waits AssocGrpGRESRunMinutes
0:01  ann submits B gres=gpu:1 limit=400                      => B starts
0:02  ann submits C gres=gpu:1 limit=400                      => C waits AssocGrpGRESRunMinutes

story: GrpTRESRunMins gres/gpu of the account
account team GrpTRESRunMins=gres/gpu=500
0:00  ann submits A gres=gpu:1 limit=1000                     => A waits AssocGrpGRESRunMinutes
0:01  ann submits B gres=gpu:1 limit=400                      => B starts
0:02  ann submits C gres=gpu:1 limit=400                      => C waits AssocGrpGRESRunMinutes

story: GrpTRESMins gres/gpu of the QoS, not yet used up
qos q GrpTRESMins=gres/gpu=500
0:00  ann submits A gres=gpu:1 limit=1000 qos=q               => A starts

story: GrpTRESMins gres/gpu of the QoS with DenyOnLimit, not yet used up
qos q GrpTRESMins=gres/gpu=500 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:1 limit=1000 qos=q               => A is refused QOSGrpGRESMinutes

story: GrpTRESMins gres/gpu of the partition QoS, not yet used up
qos pq GrpTRESMins=gres/gpu=500
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:1 limit=1000                     => A starts

story: GrpTRESMins gres/gpu of the partition QoS with DenyOnLimit, not yet used up
qos pq GrpTRESMins=gres/gpu=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:1 limit=1000                     => A is refused QOSGrpGRESMinutes

story: GrpTRESMins gres/gpu of the user, not yet used up
user ann account=team GrpTRESMins=gres/gpu=500
0:00  ann submits A gres=gpu:1 limit=1000                     => A starts

story: GrpTRESMins gres/gpu of the account, not yet used up
account team GrpTRESMins=gres/gpu=500
0:00  ann submits A gres=gpu:1 limit=1000                     => A starts

story: GrpTRESRunMins node of the QoS
qos q GrpTRESRunMins=node=500
0:00  ann submits A limit=1000 qos=q                          => A waits QOSGrpNodeRunMinutes
0:01  ann submits B limit=400 qos=q                           => B starts
0:02  ann submits C limit=400 qos=q                           => C waits QOSGrpNodeRunMinutes

story: GrpTRESRunMins node of the QoS with DenyOnLimit
qos q GrpTRESRunMins=node=500 Flags=DenyOnLimit
0:00  ann submits A limit=1000 qos=q                          => A is refused QOSGrpNodeRunMinutes
0:01  ann submits B limit=400 qos=q                           => B starts
0:02  ann submits C limit=400 qos=q                           => C waits QOSGrpNodeRunMinutes

story: GrpTRESRunMins node of the partition QoS
qos pq GrpTRESRunMins=node=500
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A waits QOSGrpNodeRunMinutes
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits QOSGrpNodeRunMinutes

story: GrpTRESRunMins node of the partition QoS with DenyOnLimit
qos pq GrpTRESRunMins=node=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A is refused QOSGrpNodeRunMinutes
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits QOSGrpNodeRunMinutes

story: GrpTRESRunMins node of the user
user ann account=team GrpTRESRunMins=node=500
0:00  ann submits A limit=1000                                => A waits AssocGrpNodeRunMinutes
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits AssocGrpNodeRunMinutes

story: GrpTRESRunMins node of the account
account team GrpTRESRunMins=node=500
0:00  ann submits A limit=1000                                => A waits AssocGrpNodeRunMinutes
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits AssocGrpNodeRunMinutes

story: GrpTRESMins node of the QoS, not yet used up
qos q GrpTRESMins=node=500
0:00  ann submits A limit=1000 qos=q                          => A starts

story: GrpTRESMins node of the QoS with DenyOnLimit, not yet used up
qos q GrpTRESMins=node=500 Flags=DenyOnLimit
0:00  ann submits A limit=1000 qos=q                          => A is refused QOSGrpNodeMinutes

story: GrpTRESMins node of the partition QoS, not yet used up
qos pq GrpTRESMins=node=500
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A starts

story: GrpTRESMins node of the partition QoS with DenyOnLimit, not yet used up
qos pq GrpTRESMins=node=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A is refused QOSGrpNodeMinutes

story: GrpTRESMins node of the user, not yet used up
user ann account=team GrpTRESMins=node=500
0:00  ann submits A limit=1000                                => A starts

story: GrpTRESMins node of the account, not yet used up
account team GrpTRESMins=node=500
0:00  ann submits A limit=1000                                => A starts

story: GrpTRESRunMins billing of the QoS
qos q GrpTRESRunMins=billing=500
0:00  ann submits A limit=1000 qos=q                          => A waits QOSGrpBillingRunMinutes
0:01  ann submits B limit=400 qos=q                           => B starts
0:02  ann submits C limit=400 qos=q                           => C waits QOSGrpBillingRunMinutes

story: GrpTRESRunMins billing of the QoS with DenyOnLimit
qos q GrpTRESRunMins=billing=500 Flags=DenyOnLimit
0:00  ann submits A limit=1000 qos=q                          => A is refused QOSGrpBillingRunMinutes
0:01  ann submits B limit=400 qos=q                           => B starts
0:02  ann submits C limit=400 qos=q                           => C waits QOSGrpBillingRunMinutes

story: GrpTRESRunMins billing of the partition QoS
qos pq GrpTRESRunMins=billing=500
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A waits QOSGrpBillingRunMinutes
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits QOSGrpBillingRunMinutes

story: GrpTRESRunMins billing of the partition QoS with DenyOnLimit
qos pq GrpTRESRunMins=billing=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A is refused QOSGrpBillingRunMinutes
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits QOSGrpBillingRunMinutes

story: GrpTRESRunMins billing of the user
user ann account=team GrpTRESRunMins=billing=500
0:00  ann submits A limit=1000                                => A waits AssocGrpBillingRunMinutes
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits AssocGrpBillingRunMinutes

story: GrpTRESRunMins billing of the account
account team GrpTRESRunMins=billing=500
0:00  ann submits A limit=1000                                => A waits AssocGrpBillingRunMinutes
0:01  ann submits B limit=400                                 => B starts
0:02  ann submits C limit=400                                 => C waits AssocGrpBillingRunMinutes

story: GrpTRESMins billing of the QoS, not yet used up
qos q GrpTRESMins=billing=500
0:00  ann submits A limit=1000 qos=q                          => A starts

story: GrpTRESMins billing of the QoS with DenyOnLimit, not yet used up
qos q GrpTRESMins=billing=500 Flags=DenyOnLimit
0:00  ann submits A limit=1000 qos=q                          => A is refused QOSGrpBillingMinutes

story: GrpTRESMins billing of the partition QoS, not yet used up
qos pq GrpTRESMins=billing=500
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A starts

story: GrpTRESMins billing of the partition QoS with DenyOnLimit, not yet used up
qos pq GrpTRESMins=billing=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=1000                                => A is refused QOSGrpBillingMinutes

story: GrpTRESMins billing of the user, not yet used up
user ann account=team GrpTRESMins=billing=500
0:00  ann submits A limit=1000                                => A starts

story: GrpTRESMins billing of the account, not yet used up
account team GrpTRESMins=billing=500
0:00  ann submits A limit=1000                                => A starts
