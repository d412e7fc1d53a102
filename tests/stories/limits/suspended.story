# Suspended jobs and the limits on time.
nodes n1 cpus=4
account team users=ann,bob
set priority.type=multifactor priority.half_life=0 priority.calc_period=1:00

story: Run minutes go down while a job is suspended
qos q GrpTRESRunMins=cpu=30
0:00   ann submits A limit=20:00 qos=q               => A starts
0:10   root suspends A                               => A is suspended
0:20   ann submits B limit=15:00 qos=q               => B waits QOSGrpCPURunMinutesLimit
8:00                                                 => B runs, A is suspended

story: A suspended job holds what it holds against GrpTRES
qos q GrpTRES=cpu=4
0:00   ann submits A cpus=3 limit=20:00 qos=q        => A starts
0:10   root suspends A                               => A is suspended
0:20   ann submits B cpus=2 limit=10:00 qos=q        => B waits QOSGrpCpuLimit

story: Suspended time is charged
qos q GrpTRESMins=cpu=5
0:00   ann submits A cpus=1 limit=20:00 qos=q        => A starts
0:10   root suspends A                               => A is suspended
8:00   ann submits B limit=1:00 qos=q                => B waits QOSGrpCPUMinutesLimit
