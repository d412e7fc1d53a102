# GrpJobs, GrpSubmitJobs and GrpWall: how many, and for how long.
nodes n[1-2] cpus=16 memory=10000 gpus=4
account team users=ann,bob

story: GrpJobs of the QoS
qos q GrpJobs=1
0:01  ann submits B cpus=1 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSGrpJobsLimit
0:03  B ends                                                  => C starts

story: GrpJobs of the QoS with DenyOnLimit
qos q GrpJobs=1 Flags=DenyOnLimit
0:01  ann submits B cpus=1 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSGrpJobsLimit
0:03  B ends                                                  => C starts

story: GrpJobs of the partition QoS
qos pq GrpJobs=1
partition main nodes=all qos=pq
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSGrpJobsLimit
0:03  B ends                                                  => C starts

story: GrpJobs of the partition QoS with DenyOnLimit
qos pq GrpJobs=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSGrpJobsLimit
0:03  B ends                                                  => C starts

story: GrpJobs of the user
user ann account=team GrpJobs=1
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits AssocGrpJobsLimit
0:03  B ends                                                  => C starts

story: GrpJobs of the account
account team GrpJobs=1
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits AssocGrpJobsLimit
0:03  B ends                                                  => C starts

story: GrpJobs=0 of the QoS waits, with DenyOnLimit or without
qos q GrpJobs=0
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSGrpJobsLimit

story: GrpJobs=0 of the QoS with DenyOnLimit waits, with DenyOnLimit or without
qos q GrpJobs=0 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A waits QOSGrpJobsLimit

story: GrpJobs=0 of the partition QoS waits, with DenyOnLimit or without
qos pq GrpJobs=0
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSGrpJobsLimit

story: GrpJobs=0 of the partition QoS with DenyOnLimit waits, with DenyOnLimit or without
qos pq GrpJobs=0 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A waits QOSGrpJobsLimit

story: GrpJobs=0 of the user waits, with DenyOnLimit or without
user ann account=team GrpJobs=0
0:00  ann submits A limit=10:00                               => A waits AssocGrpJobsLimit

story: GrpJobs=0 of the account waits, with DenyOnLimit or without
account team GrpJobs=0
0:00  ann submits A limit=10:00                               => A waits AssocGrpJobsLimit

story: GrpSubmitJobs of the QoS
qos q GrpSubmitJobs=1
0:00  ann submits A array=0-1 limit=10:00 qos=q               => A is refused QOSGrpSubmitJobsLimit
0:01  ann submits B limit=10:00 qos=q                         => B starts
0:02  ann submits C limit=10:00 qos=q                         => C is refused QOSGrpSubmitJobsLimit
0:03  B ends                                                  => B ends COMPLETED
0:04  ann submits D limit=10:00 qos=q                         => D starts

story: GrpSubmitJobs of the QoS with DenyOnLimit
qos q GrpSubmitJobs=1 Flags=DenyOnLimit
0:00  ann submits A array=0-1 limit=10:00 qos=q               => A is refused QOSGrpSubmitJobsLimit
0:01  ann submits B limit=10:00 qos=q                         => B starts
0:02  ann submits C limit=10:00 qos=q                         => C is refused QOSGrpSubmitJobsLimit
0:03  B ends                                                  => B ends COMPLETED
0:04  ann submits D limit=10:00 qos=q                         => D starts

story: GrpSubmitJobs of the partition QoS
qos pq GrpSubmitJobs=1
partition main nodes=all qos=pq
0:00  ann submits A array=0-1 limit=10:00                     => A is refused QOSGrpSubmitJobsLimit
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused QOSGrpSubmitJobsLimit
0:03  B ends                                                  => B ends COMPLETED
0:04  ann submits D limit=10:00                               => D starts

story: GrpSubmitJobs of the partition QoS with DenyOnLimit
qos pq GrpSubmitJobs=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A array=0-1 limit=10:00                     => A is refused QOSGrpSubmitJobsLimit
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused QOSGrpSubmitJobsLimit
0:03  B ends                                                  => B ends COMPLETED
0:04  ann submits D limit=10:00                               => D starts

story: GrpSubmitJobs of the user
user ann account=team GrpSubmitJobs=1
0:00  ann submits A array=0-1 limit=10:00                     => A is refused AssocGrpSubmitJobsLimit
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused AssocGrpSubmitJobsLimit
0:03  B ends                                                  => B ends COMPLETED
0:04  ann submits D limit=10:00                               => D starts

story: GrpSubmitJobs of the account
account team GrpSubmitJobs=1
0:00  ann submits A array=0-1 limit=10:00                     => A is refused AssocGrpSubmitJobsLimit
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused AssocGrpSubmitJobsLimit
0:03  B ends                                                  => B ends COMPLETED
0:04  ann submits D limit=10:00                               => D starts

story: GrpWall of the QoS, not yet used up
qos q GrpWall=5
0:00  ann submits A limit=10:00 qos=q                         => A starts

story: GrpWall of the QoS with DenyOnLimit, not yet used up
qos q GrpWall=5 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A is refused QOSGrpWallLimit

story: GrpWall of the partition QoS, not yet used up
qos pq GrpWall=5
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A starts

story: GrpWall of the partition QoS with DenyOnLimit, not yet used up
qos pq GrpWall=5 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A is refused QOSGrpWallLimit

story: GrpWall of the user, not yet used up
user ann account=team GrpWall=5
0:00  ann submits A limit=10:00                               => A starts

story: GrpWall of the account, not yet used up
account team GrpWall=5
0:00  ann submits A limit=10:00                               => A starts
