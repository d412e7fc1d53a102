# LimitFactor of a QoS: GrpTRES and MaxTRESPerJob of associations count so many times for its jobs.
tags: same-reasons
nodes n[1-2] cpus=16
qos double LimitFactor=2
qos half LimitFactor=0.5
qos deny LimitFactor=2 Flags=DenyOnLimit

story: More of GrpTRES
account team users=ann GrpTRES=cpu=4
0:00  ann submits A cpus=8 limit=10:00 qos=double   => A starts
0:01  ann submits B cpus=1 limit=10:00 qos=double   => B waits AssocGrpCpuLimit
0:02  A ends                                        => B starts
0:03  ann submits C cpus=5 limit=10:00              => C waits AssocGrpCpuLimit

story: Less of it
account team users=ann GrpTRES=cpu=4
0:00  ann submits A cpus=3 limit=10:00 qos=half     => A waits AssocGrpCpuLimit
0:01  ann submits B cpus=2 limit=10:00 qos=half     => B starts

story: Submission counts it too
account team
user ann account=team MaxTRESPerJob=cpu=4
0:00  ann submits A cpus=8 limit=10:00 qos=deny     => A starts
0:01  ann submits B cpus=9 limit=10:00 qos=deny     => B is refused

story: Counts of nodes are multiplied too
account team
user ann account=team MaxTRESPerJob=node=1
0:00  ann submits A nodes=2 limit=10:00             => A waits AssocMaxNodePerJobLimit
0:01  ann submits B nodes=2 limit=10:00 qos=double  => B starts

story: Other limits are not
account team
user ann account=team MaxTRESPerNode=cpu=4
user bob account=team MaxTRESMinsPerJob=cpu=40
0:00  ann submits A cpus=6 limit=10:00 qos=double   => A waits AssocMaxCpuPerNode
0:01  bob submits B cpus=6 limit=10:00 qos=double   => B waits AssocMaxCpuMinutesPerJobLimit
