# A job that lacks room and breaks a limit as well waits for the limit, and holds up no other.

story: With sched/builtin, more than the account may have
nodes n[1-2] cpus=2 memory=4000
account team users=ann,bob GrpTRES=cpu=2
set scheduler.type=builtin
tags: same-reasons
0:00  ann submits A cpus=1 limit=20:00 mem=100            => A starts
0:10  ann submits B cpus=2 limit=60:00 nodes=2            => B waits AssocGrpCpuLimit
0:20  ann submits C cpus=1 limit=20:00                    => C starts

story: With sched/builtin, more than the user may have beside what runs
nodes n1 cpus=2 memory=4000
account team users=ann,bob
qos q Priority=50 MaxTRESPerUser=cpu=2
set priority.weight_qos=1000 scheduler.type=builtin
tags: same-reasons
0:20  bob submits C cpus=1 limit=10:00 qos=q              => C starts
0:30  bob submits D cpus=1 limit=30:00 mem=1000           => D starts
0:40  bob submits E cpus=2 limit=10:00 mem=1000 qos=q     => E waits QOSMaxCpuPerUserLimit
0:50  ann submits F cpus=2 limit=20:00 qos=q              => F waits Resources

story: The first that lacks room behind one that a limit stops
nodes n[1-2] cpus=8 memory=4000
account team users=ann,bob
qos q Priority=50 GrpTRES=cpu=3
qos r Priority=50
set priority.weight_qos=1000
tags: same-reasons
0:00  ann submits A cpus=8 limit=20:00 mem=3000           => A starts
0:10  ann submits B cpus=2 limit=10:00 nodes=2            => B waits Resources
0:20  bob submits C cpus=8 limit=30:00 qos=q              => C waits QOSGrpCpuLimit
0:30  bob submits D cpus=6 limit=60:00 qos=r              => D starts
0:40  ann submits E cpus=6 limit=10:00 qos=q              => E waits QOSGrpCpuLimit, B waits Resources

story: A job that starts behind another counts against its limit
nodes n[1-3] cpus=4 memory=4000
account team users=ann,bob GrpJobs=2
tags: same-reasons
0:00  ann submits A cpus=2 limit=60:00 nodes=2            => A starts
0:10  bob submits B cpus=4 limit=20:00 nodes=2 mem=3000   => B waits Resources
0:20  bob submits C cpus=4 limit=30:00 mem=100            => C starts, B waits AssocGrpJobsLimit

story: A smaller job overtakes and uses up what the first might have had
nodes n1 cpus=8 memory=4000 gpus=2
account team users=ann,bob GrpTRES=cpu=8
tags: same-reasons
0:00  ann submits A cpus=2 limit=20:00 gres=gpu:2         => A starts
0:10  bob submits B cpus=6 limit=30:00 gres=gpu:1         => B waits Resources
0:20  bob submits C cpus=2 limit=10:00                    => C starts, B waits AssocGrpCpuLimit
0:30  bob submits D cpus=4 limit=10:00 mem=3999           => D waits Resources
