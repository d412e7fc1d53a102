# Found with random clusters of nodes that differ, and mended.

story: A job for which there is no room counts its nodes in full against a group's nodes
tags: same-reasons
nodes n[1-2] cpus=8
account team users=ann,bob GrpTRES=node=2
0:00  bob submits A cpus=7 limit=60:00            => A starts
0:10  ann submits B cpus=8 limit=30:00            => B starts
0:20  ann submits C cpus=7 limit=30:00 exclusive  => C waits AssocGrpNodeLimit
0:30  ann submits D cpus=2 limit=30:00            => D waits AssocGrpNodeLimit

story: A job that is held is not asked whether it could ever run
tags: same-reasons
nodes n1 cpus=4 features=fast
nodes n2 cpus=4 gpus=1
0:00  ann submits A constraint=fast gres=gpu:1 limit=10:00 hold  => A waits JobHeldUser
0:10  ann submits B constraint=fast gres=gpu:1 limit=10:00       => B is refused "Requested node configuration is not available"

story: A job that a limit stops before nodes are looked for is not asked whether it could ever run
tags: same-reasons
nodes n1 cpus=4
nodes n2 cpus=8
account team users=ann MaxJobs=1
0:00  ann submits A tasks=10 nodes=1 limit=10:00  => A is refused "Requested node configuration is not available"
0:10  ann submits B tasks=2 limit=20:00           => B starts
0:20  ann submits C tasks=10 nodes=1 limit=10:00  => C waits AssocMaxJobsLimit

story: Nodes that a group may not have do not make a job fit
tags: same-reasons
nodes n[1-2] cpus=4 memory=4000
nodes n3 cpus=12 memory=4000
account team users=ann GrpTRES=node=2
0:00  ann submits A tasks=9 mem-per-cpu=900 limit=10:00  => A is refused "Requested node configuration is not available"
0:10  ann submits B tasks=8 mem-per-cpu=900 limit=10:00  => B starts on n[1-2]

story: The owner may ask for more time than a QoS with DenyOnLimit allows; the job then waits
tags: same-reasons
nodes n1 cpus=4
account team users=ann
qos q MaxWall=20 Flags=DenyOnLimit
0:00  ann submits A cpus=4 limit=10:00            => A starts
0:10  ann submits B cpus=4 limit=10:00 qos=q      => B waits Resources
0:20  ann updates B limit=30:00                   => B waits QOSMaxWallDurationPerJobLimit
0:30  ann submits C cpus=1 limit=30:00 qos=q      => C is refused QOSMaxWallDurationPerJobLimit

story: Of an array the task with the lowest index is preempted first
tags: same-reasons
nodes n1 cpus=3
account team users=ann,bob
qos low Priority=1
qos top Priority=10 Preempt=low
set preemption.type=qos preemption.mode=cancel
0:00  ann submits A array=0-2 cpus=1 limit=30:00 qos=low  => A[0-2] run
1:00  bob submits B cpus=1 limit=10:00 qos=top            => B runs, A[1-2] run
