# Limits on one job: MaxTRESPerJob, MaxTRESPerNode, MaxTRESMinsPerJob, MinTRESPerJob, MaxWall.
nodes n[1-2] cpus=16 memory=10000 gpus=4
account team users=ann,bob

story: MaxTRESPerJob cpu of the QoS
qos q MaxTRESPerJob=cpu=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits QOSMaxCpuPerJobLimit
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MaxTRESPerJob cpu of the QoS with DenyOnLimit
qos q MaxTRESPerJob=cpu=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused QOSMaxCpuPerJobLimit
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MaxTRESPerJob cpu of the partition QoS
qos pq MaxTRESPerJob=cpu=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits QOSMaxCpuPerJobLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerJob cpu of the partition QoS with DenyOnLimit
qos pq MaxTRESPerJob=cpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused QOSMaxCpuPerJobLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerJob cpu of the user
user ann account=team MaxTRESPerJob=cpu=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocMaxCpuPerJobLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerJob cpu of the account
account team MaxTRESPerJob=cpu=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocMaxCpuPerJobLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerJob mem of the QoS
qos q MaxTRESPerJob=mem=1000
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A waits QOSMaxMemoryPerJob
0:01  ann submits B mem=1000 limit=10:00 qos=q                => B starts

story: MaxTRESPerJob mem of the QoS with DenyOnLimit
qos q MaxTRESPerJob=mem=1000 Flags=DenyOnLimit
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A is refused QOSMaxMemoryPerJob
0:01  ann submits B mem=1000 limit=10:00 qos=q                => B starts

story: MaxTRESPerJob mem of the partition QoS
qos pq MaxTRESPerJob=mem=1000
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A waits QOSMaxMemoryPerJob
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MaxTRESPerJob mem of the partition QoS with DenyOnLimit
qos pq MaxTRESPerJob=mem=1000 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A is refused QOSMaxMemoryPerJob
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MaxTRESPerJob mem of the user
user ann account=team MaxTRESPerJob=mem=1000
0:00  ann submits A mem=1500 limit=10:00                      => A waits AssocMaxMemPerJob
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MaxTRESPerJob mem of the account
account team MaxTRESPerJob=mem=1000
0:00  ann submits A mem=1500 limit=10:00                      => A waits AssocMaxMemPerJob
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MaxTRESPerJob gres/gpu of the QoS
qos q MaxTRESPerJob=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A waits QOSMaxGRESPerJob
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts

story: MaxTRESPerJob gres/gpu of the QoS with DenyOnLimit
qos q MaxTRESPerJob=gres/gpu=2 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A is refused QOSMaxGRESPerJob
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts

story: MaxTRESPerJob gres/gpu of the partition QoS
qos pq MaxTRESPerJob=gres/gpu=2
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits QOSMaxGRESPerJob
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MaxTRESPerJob gres/gpu of the partition QoS with DenyOnLimit
qos pq MaxTRESPerJob=gres/gpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A is refused QOSMaxGRESPerJob
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MaxTRESPerJob gres/gpu of the user
user ann account=team MaxTRESPerJob=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits AssocMaxGRESPerJob
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MaxTRESPerJob gres/gpu of the account
account team MaxTRESPerJob=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits AssocMaxGRESPerJob
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MaxTRESPerJob node of the QoS
qos q MaxTRESPerJob=node=1
0:00  ann submits A nodes=2 limit=10:00 qos=q                 => A waits QOSMaxNodePerJobLimit
0:01  ann submits B nodes=1 limit=10:00 qos=q                 => B starts

story: MaxTRESPerJob node of the QoS with DenyOnLimit
qos q MaxTRESPerJob=node=1 Flags=DenyOnLimit
0:00  ann submits A nodes=2 limit=10:00 qos=q                 => A is refused QOSMaxNodePerJobLimit
0:01  ann submits B nodes=1 limit=10:00 qos=q                 => B starts

story: MaxTRESPerJob node of the partition QoS
qos pq MaxTRESPerJob=node=1
partition main nodes=all qos=pq
0:00  ann submits A nodes=2 limit=10:00                       => A waits QOSMaxNodePerJobLimit
0:01  ann submits B nodes=1 limit=10:00                       => B starts

story: MaxTRESPerJob node of the partition QoS with DenyOnLimit
qos pq MaxTRESPerJob=node=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A nodes=2 limit=10:00                       => A is refused QOSMaxNodePerJobLimit
0:01  ann submits B nodes=1 limit=10:00                       => B starts

story: MaxTRESPerJob node of the user
user ann account=team MaxTRESPerJob=node=1
0:00  ann submits A nodes=2 limit=10:00                       => A waits AssocMaxNodePerJobLimit
0:01  ann submits B nodes=1 limit=10:00                       => B starts

story: MaxTRESPerJob node of the account
account team MaxTRESPerJob=node=1
0:00  ann submits A nodes=2 limit=10:00                       => A waits AssocMaxNodePerJobLimit
0:01  ann submits B nodes=1 limit=10:00                       => B starts

story: MaxTRESPerJob billing of the QoS
qos q MaxTRESPerJob=billing=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits QOSMaxBillingPerJob
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MaxTRESPerJob billing of the QoS with DenyOnLimit
qos q MaxTRESPerJob=billing=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused QOSMaxBillingPerJob
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MaxTRESPerJob billing of the partition QoS
qos pq MaxTRESPerJob=billing=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits QOSMaxBillingPerJob
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerJob billing of the partition QoS with DenyOnLimit
qos pq MaxTRESPerJob=billing=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused QOSMaxBillingPerJob
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerJob billing of the user
user ann account=team MaxTRESPerJob=billing=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocMaxBillingPerJob
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerJob billing of the account
account team MaxTRESPerJob=billing=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocMaxBillingPerJob
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerNode cpu of the QoS
qos q MaxTRESPerNode=cpu=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits QOSMaxCpuPerNode
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MaxTRESPerNode cpu of the QoS with DenyOnLimit
qos q MaxTRESPerNode=cpu=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused QOSMaxCpuPerNode
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MaxTRESPerNode cpu of the partition QoS
qos pq MaxTRESPerNode=cpu=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits QOSMaxCpuPerNode
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerNode cpu of the partition QoS with DenyOnLimit
qos pq MaxTRESPerNode=cpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused QOSMaxCpuPerNode
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerNode cpu of the user
user ann account=team MaxTRESPerNode=cpu=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocMaxCpuPerNode
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerNode cpu of the account
account team MaxTRESPerNode=cpu=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocMaxCpuPerNode
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxTRESPerNode mem of the QoS
qos q MaxTRESPerNode=mem=1000
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A waits QOSMaxMemoryPerNode
0:01  ann submits B mem=1000 limit=10:00 qos=q                => B starts

story: MaxTRESPerNode mem of the QoS with DenyOnLimit
qos q MaxTRESPerNode=mem=1000 Flags=DenyOnLimit
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A is refused QOSMaxMemoryPerNode
0:01  ann submits B mem=1000 limit=10:00 qos=q                => B starts

story: MaxTRESPerNode mem of the partition QoS
qos pq MaxTRESPerNode=mem=1000
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A waits QOSMaxMemoryPerNode
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MaxTRESPerNode mem of the partition QoS with DenyOnLimit
qos pq MaxTRESPerNode=mem=1000 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A is refused QOSMaxMemoryPerNode
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MaxTRESPerNode mem of the user
user ann account=team MaxTRESPerNode=mem=1000
0:00  ann submits A mem=1500 limit=10:00                      => A waits AssocMaxMemPerNode
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MaxTRESPerNode mem of the account
account team MaxTRESPerNode=mem=1000
0:00  ann submits A mem=1500 limit=10:00                      => A waits AssocMaxMemPerNode
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MaxTRESPerNode gres/gpu of the QoS
qos q MaxTRESPerNode=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A waits QOSMaxGRESPerNode
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts

story: MaxTRESPerNode gres/gpu of the QoS with DenyOnLimit
qos q MaxTRESPerNode=gres/gpu=2 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A is refused QOSMaxGRESPerNode
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts

story: MaxTRESPerNode gres/gpu of the partition QoS
qos pq MaxTRESPerNode=gres/gpu=2
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits QOSMaxGRESPerNode
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MaxTRESPerNode gres/gpu of the partition QoS with DenyOnLimit
qos pq MaxTRESPerNode=gres/gpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A is refused QOSMaxGRESPerNode
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MaxTRESPerNode gres/gpu of the user
user ann account=team MaxTRESPerNode=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits AssocMaxGRESPerNode
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MaxTRESPerNode gres/gpu of the account
account team MaxTRESPerNode=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits AssocMaxGRESPerNode
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MaxTRESMinsPerJob cpu of the QoS
qos q MaxTRESMinsPerJob=cpu=5
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSMaxCpuMinutesPerJobLimit
0:01  ann submits B limit=5:00 qos=q                          => B starts

story: MaxTRESMinsPerJob cpu of the QoS with DenyOnLimit
qos q MaxTRESMinsPerJob=cpu=5 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A is refused QOSMaxCpuMinutesPerJobLimit
0:01  ann submits B limit=5:00 qos=q                          => B starts

story: MaxTRESMinsPerJob cpu of the partition QoS
qos pq MaxTRESMinsPerJob=cpu=5
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSMaxCpuMinutesPerJobLimit
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob cpu of the partition QoS with DenyOnLimit
qos pq MaxTRESMinsPerJob=cpu=5 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A is refused QOSMaxCpuMinutesPerJobLimit
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob cpu of the user
user ann account=team MaxTRESMinsPerJob=cpu=5
0:00  ann submits A limit=10:00                               => A waits AssocMaxCpuMinutesPerJobLimit
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob cpu of the account
account team MaxTRESMinsPerJob=cpu=5
0:00  ann submits A limit=10:00                               => A waits AssocMaxCpuMinutesPerJobLimit
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob mem of the QoS
qos q MaxTRESMinsPerJob=mem=500
0:00  ann submits A mem=100 limit=10:00 qos=q                 => A waits QOSMaxMemoryMinutesPerJob
0:01  ann submits B mem=100 limit=5:00 qos=q                  => B starts

story: MaxTRESMinsPerJob mem of the QoS with DenyOnLimit
qos q MaxTRESMinsPerJob=mem=500 Flags=DenyOnLimit
0:00  ann submits A mem=100 limit=10:00 qos=q                 => A is refused QOSMaxMemoryMinutesPerJob
0:01  ann submits B mem=100 limit=5:00 qos=q                  => B starts

story: MaxTRESMinsPerJob mem of the partition QoS
qos pq MaxTRESMinsPerJob=mem=500
partition main nodes=all qos=pq
0:00  ann submits A mem=100 limit=10:00                       => A waits QOSMaxMemoryMinutesPerJob
0:01  ann submits B mem=100 limit=5:00                        => B starts

story: MaxTRESMinsPerJob mem of the partition QoS with DenyOnLimit
qos pq MaxTRESMinsPerJob=mem=500 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=100 limit=10:00                       => A is refused QOSMaxMemoryMinutesPerJob
0:01  ann submits B mem=100 limit=5:00                        => B starts

story: MaxTRESMinsPerJob mem of the user
user ann account=team MaxTRESMinsPerJob=mem=500
0:00  ann submits A mem=100 limit=10:00                       => A waits AssocMaxMemMinutesPerJob
0:01  ann submits B mem=100 limit=5:00                        => B starts

story: MaxTRESMinsPerJob mem of the account
account team MaxTRESMinsPerJob=mem=500
0:00  ann submits A mem=100 limit=10:00                       => A waits AssocMaxMemMinutesPerJob
0:01  ann submits B mem=100 limit=5:00                        => B starts

story: MaxTRESMinsPerJob gres/gpu of the QoS
qos q MaxTRESMinsPerJob=gres/gpu=5
0:00  ann submits A gres=gpu:1 limit=10:00 qos=q              => A waits QOSMaxGRESMinutesPerJob
0:01  ann submits B gres=gpu:1 limit=5:00 qos=q               => B starts

story: MaxTRESMinsPerJob gres/gpu of the QoS with DenyOnLimit
qos q MaxTRESMinsPerJob=gres/gpu=5 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:1 limit=10:00 qos=q              => A is refused QOSMaxGRESMinutesPerJob
0:01  ann submits B gres=gpu:1 limit=5:00 qos=q               => B starts

story: MaxTRESMinsPerJob gres/gpu of the partition QoS
qos pq MaxTRESMinsPerJob=gres/gpu=5
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:1 limit=10:00                    => A waits QOSMaxGRESMinutesPerJob
0:01  ann submits B gres=gpu:1 limit=5:00                     => B starts

story: MaxTRESMinsPerJob gres/gpu of the partition QoS with DenyOnLimit
qos pq MaxTRESMinsPerJob=gres/gpu=5 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:1 limit=10:00                    => A is refused QOSMaxGRESMinutesPerJob
0:01  ann submits B gres=gpu:1 limit=5:00                     => B starts

story: MaxTRESMinsPerJob gres/gpu of the user
user ann account=team MaxTRESMinsPerJob=gres/gpu=5
0:00  ann submits A gres=gpu:1 limit=10:00                    => A waits AssocMaxGRESMinutesPerJob
0:01  ann submits B gres=gpu:1 limit=5:00                     => B starts

story: MaxTRESMinsPerJob gres/gpu of the account
account team MaxTRESMinsPerJob=gres/gpu=5
0:00  ann submits A gres=gpu:1 limit=10:00                    => A waits AssocMaxGRESMinutesPerJob
0:01  ann submits B gres=gpu:1 limit=5:00                     => B starts

story: MaxTRESMinsPerJob node of the QoS
qos q MaxTRESMinsPerJob=node=5
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSMaxNodeMinutesPerJob
0:01  ann submits B limit=5:00 qos=q                          => B starts

story: MaxTRESMinsPerJob node of the QoS with DenyOnLimit
qos q MaxTRESMinsPerJob=node=5 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A is refused QOSMaxNodeMinutesPerJob
0:01  ann submits B limit=5:00 qos=q                          => B starts

story: MaxTRESMinsPerJob node of the partition QoS
qos pq MaxTRESMinsPerJob=node=5
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSMaxNodeMinutesPerJob
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob node of the partition QoS with DenyOnLimit
qos pq MaxTRESMinsPerJob=node=5 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A is refused QOSMaxNodeMinutesPerJob
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob node of the user
user ann account=team MaxTRESMinsPerJob=node=5
0:00  ann submits A limit=10:00                               => A waits AssocMaxNodeMinutesPerJob
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob node of the account
account team MaxTRESMinsPerJob=node=5
0:00  ann submits A limit=10:00                               => A waits AssocMaxNodeMinutesPerJob
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob billing of the QoS
qos q MaxTRESMinsPerJob=billing=5
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSMaxBillingMinutesPerJob
0:01  ann submits B limit=5:00 qos=q                          => B starts

story: MaxTRESMinsPerJob billing of the QoS with DenyOnLimit
qos q MaxTRESMinsPerJob=billing=5 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A is refused QOSMaxBillingMinutesPerJob
0:01  ann submits B limit=5:00 qos=q                          => B starts

story: MaxTRESMinsPerJob billing of the partition QoS
qos pq MaxTRESMinsPerJob=billing=5
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSMaxBillingMinutesPerJob
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob billing of the partition QoS with DenyOnLimit
qos pq MaxTRESMinsPerJob=billing=5 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A is refused QOSMaxBillingMinutesPerJob
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob billing of the user
user ann account=team MaxTRESMinsPerJob=billing=5
0:00  ann submits A limit=10:00                               => A waits AssocMaxBillingMinutesPerJob
0:01  ann submits B limit=5:00                                => B starts

story: MaxTRESMinsPerJob billing of the account
account team MaxTRESMinsPerJob=billing=5
0:00  ann submits A limit=10:00                               => A waits AssocMaxBillingMinutesPerJob
0:01  ann submits B limit=5:00                                => B starts

story: MinTRESPerJob cpu of the QoS
qos q MinTRESPerJob=cpu=2
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSMinCpuNotSatisfied
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MinTRESPerJob cpu of the QoS with DenyOnLimit
qos q MinTRESPerJob=cpu=2 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A is refused QOSMinCpuNotSatisfied
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MinTRESPerJob cpu of the partition QoS
qos pq MinTRESPerJob=cpu=2
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSMinCpuNotSatisfied
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MinTRESPerJob cpu of the partition QoS with DenyOnLimit
qos pq MinTRESPerJob=cpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A is refused QOSMinCpuNotSatisfied
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MinTRESPerJob mem of the QoS
qos q MinTRESPerJob=mem=1000
0:00  ann submits A mem=500 limit=10:00 qos=q                 => A waits QOSMinMemory
0:01  ann submits B mem=1000 limit=10:00 qos=q                => B starts

story: MinTRESPerJob mem of the QoS with DenyOnLimit
qos q MinTRESPerJob=mem=1000 Flags=DenyOnLimit
0:00  ann submits A mem=500 limit=10:00 qos=q                 => A is refused QOSMinMemory
0:01  ann submits B mem=1000 limit=10:00 qos=q                => B starts

story: MinTRESPerJob mem of the partition QoS
qos pq MinTRESPerJob=mem=1000
partition main nodes=all qos=pq
0:00  ann submits A mem=500 limit=10:00                       => A waits QOSMinMemory
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MinTRESPerJob mem of the partition QoS with DenyOnLimit
qos pq MinTRESPerJob=mem=1000 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=500 limit=10:00                       => A is refused QOSMinMemory
0:01  ann submits B mem=1000 limit=10:00                      => B starts

story: MinTRESPerJob gres/gpu of the QoS
qos q MinTRESPerJob=gres/gpu=2
0:00  ann submits A gres=gpu:1 limit=10:00 qos=q              => A waits QOSMinGRES
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts

story: MinTRESPerJob gres/gpu of the QoS with DenyOnLimit
qos q MinTRESPerJob=gres/gpu=2 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:1 limit=10:00 qos=q              => A is refused QOSMinGRES
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts

story: MinTRESPerJob gres/gpu of the partition QoS
qos pq MinTRESPerJob=gres/gpu=2
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:1 limit=10:00                    => A waits QOSMinGRES
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MinTRESPerJob gres/gpu of the partition QoS with DenyOnLimit
qos pq MinTRESPerJob=gres/gpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:1 limit=10:00                    => A is refused QOSMinGRES
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts

story: MinTRESPerJob node of the QoS
qos q MinTRESPerJob=node=2
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSMinNode
0:01  ann submits B nodes=2 limit=10:00 qos=q                 => B starts

story: MinTRESPerJob node of the QoS with DenyOnLimit
qos q MinTRESPerJob=node=2 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A is refused QOSMinNode
0:01  ann submits B nodes=2 limit=10:00 qos=q                 => B starts

story: MinTRESPerJob node of the partition QoS
qos pq MinTRESPerJob=node=2
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSMinNode
0:01  ann submits B nodes=2 limit=10:00                       => B starts

story: MinTRESPerJob node of the partition QoS with DenyOnLimit
qos pq MinTRESPerJob=node=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A is refused QOSMinNode
0:01  ann submits B nodes=2 limit=10:00                       => B starts

story: MinTRESPerJob billing of the QoS
qos q MinTRESPerJob=billing=2
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSMinBilling
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MinTRESPerJob billing of the QoS with DenyOnLimit
qos q MinTRESPerJob=billing=2 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A is refused QOSMinBilling
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts

story: MinTRESPerJob billing of the partition QoS
qos pq MinTRESPerJob=billing=2
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSMinBilling
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MinTRESPerJob billing of the partition QoS with DenyOnLimit
qos pq MinTRESPerJob=billing=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A is refused QOSMinBilling
0:01  ann submits B cpus=2 limit=10:00                        => B starts

story: MaxWall of the QoS
qos q MaxWall=5
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSMaxWallDurationPerJobLimit
0:01  ann submits B limit=5:00 qos=q                          => B starts

story: MaxWall of the QoS with DenyOnLimit
qos q MaxWall=5 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A is refused QOSMaxWallDurationPerJobLimit
0:01  ann submits B limit=5:00 qos=q                          => B starts

story: MaxWall of the partition QoS
qos pq MaxWall=5
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSMaxWallDurationPerJobLimit
0:01  ann submits B limit=5:00                                => B starts

story: MaxWall of the partition QoS with DenyOnLimit
qos pq MaxWall=5 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A is refused QOSMaxWallDurationPerJobLimit
0:01  ann submits B limit=5:00                                => B starts

story: MaxWall of the user
user ann account=team MaxWall=5
0:00  ann submits A limit=10:00                               => A waits AssocMaxWallDurationPerJobLimit
0:01  ann submits B limit=5:00                                => B starts

story: MaxWall of the account
account team MaxWall=5
0:00  ann submits A limit=10:00                               => A waits AssocMaxWallDurationPerJobLimit
0:01  ann submits B limit=5:00                                => B starts
