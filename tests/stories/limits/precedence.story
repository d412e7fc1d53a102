# Which limit is named when a job breaks several, and which limit hides another.
nodes n[1-2] cpus=16 memory=10000 gpus=4
account top
account team parent=top users=ann,bob

story: The partition QoS comes before the job's QoS: memory first
qos pq GrpTRES=mem=5
partition main nodes=all qos=pq
qos q GrpTRES=gres/gpu=0
0:00  ann submits A gres=gpu:1 limit=10:00 qos=q                 => A waits QOSGrpMemLimit

story: The partition QoS comes before the job's QoS: GPUs first
qos pq GrpTRES=gres/gpu=0
partition main nodes=all qos=pq
qos q GrpTRES=cpu=1
0:00  ann submits A cpus=2 gres=gpu:1 limit=10:00 qos=q          => A waits QOSGrpGRES

story: The job's QoS comes before the user
qos q GrpTRES=gres/gpu=0
user ann account=team GrpTRES=cpu=1
0:00  ann submits A cpus=2 gres=gpu:1 limit=10:00 qos=q          => A waits QOSGrpGRES

story: The user comes before the account
account team GrpTRES=cpu=1
user ann account=team GrpTRES=gres/gpu=0
0:00  ann submits A cpus=2 gres=gpu:1 limit=10:00                => A waits AssocGrpGRES

story: In one QoS nodes come first
qos q GrpTRES=cpu=1,mem=5,gres/gpu=0,node=1,billing=1
0:00  ann submits A nodes=2 cpus=2 gres=gpu:1 limit=10:00 qos=q  => A waits QOSGrpNodeLimit

story: In one QoS billing comes before GPUs
qos q GrpTRES=gres/gpu=0,billing=1
0:00  ann submits A nodes=2 cpus=2 gres=gpu:1 limit=10:00 qos=q  => A waits QOSGrpBilling

story: GrpTRES comes before MaxTRESPerJob
qos q GrpTRES=cpu=1 MaxTRESPerJob=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpCpuLimit

story: GrpTRES comes before MaxTRESPerUser
qos q GrpTRES=cpu=1 MaxTRESPerUser=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpCpuLimit

story: MaxTRESPerJob comes before MaxTRESPerUser
qos q MaxTRESPerJob=cpu=1 MaxTRESPerUser=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSMaxCpuPerJobLimit

story: MaxTRESPerAccount comes before MaxTRESPerUser
qos q MaxTRESPerAccount=cpu=1 MaxTRESPerUser=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits MaxCpuPerAccount

story: MaxWall comes before GrpTRES
qos q GrpTRES=cpu=1 MaxWall=5
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSMaxWallDurationPerJobLimit

story: GrpJobs comes before GrpTRES
qos q GrpTRES=cpu=1 GrpJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpJobsLimit

story: GrpJobs comes before MaxWall
qos q MaxWall=5 GrpJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpJobsLimit

story: GrpJobs comes before MaxJobsPerUser
qos q MaxJobsPerUser=0 GrpJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpJobsLimit

story: MaxJobsPerAccount comes before MaxJobsPerUser
qos q MaxJobsPerAccount=0 MaxJobsPerUser=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits MaxJobsPerAccount

story: GrpTRES comes before MinTRESPerJob
qos q MinTRESPerJob=cpu=4 GrpTRES=mem=5
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpMemLimit

story: MaxTRESPerJob comes before MinTRESPerJob
qos q MinTRESPerJob=cpu=4 MaxTRESPerJob=mem=5
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSMaxMemoryPerJob

story: MaxTRESPerJob comes before MaxTRESPerNode
qos q MaxTRESPerNode=cpu=1 MaxTRESPerJob=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSMaxCpuPerJobLimit

story: MaxTRESMinsPerJob comes before MaxTRESPerJob
qos q MaxTRESMinsPerJob=cpu=5 MaxTRESPerJob=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSMaxCpuMinutesPerJobLimit

story: GrpTRES comes before MaxTRESMinsPerJob
qos q MaxTRESMinsPerJob=cpu=5 GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpCpuLimit

story: GrpTRES comes before GrpTRESRunMins
qos q GrpTRESRunMins=cpu=5 GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpCpuLimit

story: GrpTRESRunMins comes before MaxTRESMinsPerJob
qos q GrpTRESRunMins=cpu=5 MaxTRESMinsPerJob=cpu=5
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpCPURunMinutesLimit

story: MaxWall of the QoS comes before GrpJobs of the user
qos q MaxWall=5
user ann account=team GrpJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSMaxWallDurationPerJobLimit

story: MaxJobs of the user comes before GrpTRES of the QoS
qos q GrpTRES=cpu=1
user ann account=team MaxJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits AssocMaxJobsLimit

story: MaxWall of the user comes before GrpTRES of the QoS
qos q GrpTRES=cpu=1
user ann account=team MaxWall=5
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits AssocMaxWallDurationPerJobLimit

story: MaxJobsPerUser of the QoS comes before MaxJobs of the user
qos q MaxJobsPerUser=0
user ann account=team MaxJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSMaxJobsPerUserLimit

story: Of a user GrpJobs comes first
user ann account=team GrpTRES=cpu=1 MaxTRESPerJob=cpu=1 MaxWall=5 GrpJobs=0 MaxJobs=0
0:00  ann submits A cpus=2 limit=10:00                           => A waits AssocGrpJobsLimit

story: Of a user MaxWall comes before GrpTRES
user ann account=team GrpTRES=cpu=1 MaxTRESPerJob=cpu=1 MaxWall=5
0:00  ann submits A cpus=2 limit=10:00                           => A waits AssocMaxWallDurationPerJobLimit

story: Of a user GrpTRES comes before MaxTRESPerJob
user ann account=team GrpTRES=cpu=1 MaxTRESPerJob=cpu=1
0:00  ann submits A cpus=2 limit=10:00                           => A waits AssocGrpCpuLimit

story: A generous partition QoS hides the job's QoS
qos pq GrpTRES=cpu=10
partition main nodes=all qos=pq
qos q GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: A tight partition QoS binds under a generous QoS
qos pq GrpTRES=cpu=1
partition main nodes=all qos=pq
qos q GrpTRES=cpu=10
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpCpuLimit

story: OverPartQOS turns that round: the job's QoS is generous
qos pq GrpTRES=cpu=1
partition main nodes=all qos=pq
qos q GrpTRES=cpu=10 Flags=OverPartQOS
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: OverPartQOS turns that round: the job's QoS is tight
qos pq GrpTRES=cpu=10
partition main nodes=all qos=pq
qos q GrpTRES=cpu=1 Flags=OverPartQOS
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits QOSGrpCpuLimit

story: A GrpTRES of the QoS hides that of the user
qos q GrpTRES=cpu=10
user ann account=team GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: A GrpTRES of the QoS hides that of the account
qos q GrpTRES=cpu=10
account team GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: It hides only the same resource
qos q GrpTRES=cpu=10
account team GrpTRES=mem=5
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits AssocGrpMemLimit

story: A GrpTRES of the partition QoS hides that of the account
qos pq GrpTRES=cpu=10
partition main nodes=all qos=pq
account team GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00                           => A starts

story: Among associations every level binds: the account
account team GrpTRES=cpu=1
user ann account=team GrpTRES=cpu=10
0:00  ann submits A cpus=2 limit=10:00                           => A waits AssocGrpCpuLimit

story: Among associations every level binds: the parent account
account top GrpTRES=cpu=1
user ann account=team GrpTRES=cpu=10
0:00  ann submits A cpus=2 limit=10:00                           => A waits AssocGrpCpuLimit

story: A user's own MaxTRESPerJob replaces that of the account
account team MaxTRESPerJob=cpu=1
user ann account=team MaxTRESPerJob=cpu=10
0:00  ann submits A cpus=2 limit=10:00                           => A starts

story: A user without one of his own has the account's MaxTRESPerJob
account team MaxTRESPerJob=cpu=1
0:00  bob submits A cpus=2 limit=10:00                           => A waits AssocMaxCpuPerJobLimit

story: MaxTRESPerJob of the QoS hides that of the user
qos q MaxTRESPerJob=cpu=10
user ann account=team MaxTRESPerJob=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: MaxTRESPerUser of the QoS does not hide GrpTRES of the user
qos q MaxTRESPerUser=cpu=10
user ann account=team GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A waits AssocGrpCpuLimit

story: MaxTRESPerUser of the partition QoS hides that of the QoS
qos pq MaxTRESPerUser=cpu=10
partition main nodes=all qos=pq
qos q MaxTRESPerUser=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: GrpJobs of the QoS hides that of the user
qos q GrpJobs=5
user ann account=team GrpJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: GrpSubmitJobs of the QoS hides that of the user
qos q GrpSubmitJobs=5
user ann account=team GrpSubmitJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: MaxJobsPerUser of the QoS hides MaxJobs of the user
qos q MaxJobsPerUser=5
user ann account=team MaxJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: MaxSubmitJobsPerUser of the QoS hides MaxSubmitJobs of the user
qos q MaxSubmitJobsPerUser=5
user ann account=team MaxSubmitJobs=0
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A starts

story: MaxWall of the QoS hides that of the user
qos q MaxWall=20
user ann account=team MaxWall=5
0:00  ann submits A limit=10:00 qos=q                            => A starts

story: MaxWall of the partition QoS hides that of the QoS
qos pq MaxWall=20
partition main nodes=all qos=pq
qos q MaxWall=5
0:00  ann submits A limit=10:00 qos=q                            => A starts

story: DenyOnLimit of the QoS makes the user's GrpTRES strict
qos q Flags=DenyOnLimit
user ann account=team GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A is refused AssocGrpCpuLimit

story: DenyOnLimit of the QoS makes the user's MaxTRESPerJob strict
qos q Flags=DenyOnLimit
user ann account=team MaxTRESPerJob=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A is refused AssocMaxCpuPerJobLimit

story: DenyOnLimit of the QoS makes the account's GrpTRES strict
qos q Flags=DenyOnLimit
account team GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A is refused AssocGrpCpuLimit

story: DenyOnLimit of the QoS makes the partition QoS strict
qos pq GrpTRES=cpu=1
partition main nodes=all qos=pq
qos q Flags=DenyOnLimit
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A is refused QOSGrpCpuLimit

story: DenyOnLimit of the partition QoS makes the QoS strict
qos pq Flags=DenyOnLimit
partition main nodes=all qos=pq
qos q GrpTRES=cpu=1
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A is refused QOSGrpCpuLimit

story: DenyOnLimit of the partition QoS makes the user's MaxWall strict
qos pq Flags=DenyOnLimit
partition main nodes=all qos=pq
user ann account=team MaxWall=5
0:00  ann submits A cpus=2 limit=10:00                           => A is refused AssocMaxWallDurationPerJobLimit

story: DenyOnLimit of the QoS makes the user's MaxWall strict
qos q Flags=DenyOnLimit
user ann account=team MaxWall=5
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A is refused AssocMaxWallDurationPerJobLimit

story: DenyOnLimit: of several GrpTRES the CPUs are named
qos q GrpTRES=cpu=1,mem=5,gres/gpu=0 Flags=DenyOnLimit
0:00  ann submits A nodes=2 cpus=2 gres=gpu:1 limit=10:00 qos=q  => A is refused QOSGrpCpuLimit

story: DenyOnLimit: MaxTRESPerUser is named before the others
qos q MaxTRESPerUser=cpu=1 MaxTRESPerJob=cpu=1 GrpTRES=cpu=1 MaxWall=5 MinTRESPerJob=cpu=4 Flags=DenyOnLimit
0:00  ann submits A cpus=2 limit=10:00 qos=q                     => A is refused QOSMaxCpuPerUserLimit
