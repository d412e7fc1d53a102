# A policy that changes while jobs wait and run.
nodes n[1-2] cpus=4

story: Raising a limit lets the waiting start
qos q GrpTRES=cpu=2
0:00  ann submits A cpus=2 qos=q limit=10:00   => A starts
0:01  ann submits B cpus=2 qos=q limit=10:00   => B waits QOSGrpCpuLimit
0:02  policy sets qos.q.GrpTRES=cpu=4          => B starts

story: Lowering a limit kills no job and blocks new starts
qos q GrpTRES=cpu=4
0:00  ann submits A cpus=4 qos=q limit=10:00   => A starts
0:01  policy sets qos.q.GrpTRES=cpu=2          => A runs
0:02  ann submits B cpus=1 qos=q limit=10:00   => B waits QOSGrpCpuLimit
