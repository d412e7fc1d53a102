# assoc_limit_stop: what a limit stops holds up others.
tags: same-reasons
nodes n[1-2] cpus=4
set scheduler.assoc_limit_stop=yes

story: Jobs behind it may run on its nodes as long as it is guessed to wait
qos q GrpTRES=cpu=4
0:00   ann submits A cpus=4 qos=q limit=10:00   => A starts on n1
0:01   bob submits B cpus=4 qos=q limit=10:00   => B waits QOSGrpCpuLimit
0:02   cat submits C cpus=1 limit=5:00          => C starts on n2
0:03   cat submits D cpus=1 limit=30:00         => D waits Priority
0:04   cat submits F cpus=1 limit=3:00          => F starts on n2

story: It has a node for itself in the plans
qos q GrpTRES=cpu=2
0:00   ann submits A cpus=2 qos=q limit=10:00   => A starts on n1
0:01   bob submits B cpus=2 qos=q limit=10:00   => B waits QOSGrpCpuLimit
0:02   cat submits C cpus=1 limit=30:00         => C starts on n2
0:03   cat submits D cpus=1 limit=5:00          => D starts on n1

story: Without backfill it closes its partition
set scheduler.type=builtin
partition main nodes=all Default=YES
partition side nodes=n2
qos q GrpTRES=cpu=2
0:00   ann submits A cpus=2 qos=q limit=10:00   => A starts
0:01   bob submits B cpus=2 qos=q limit=10:00   => B waits QOSGrpCpuLimit
0:02   cat submits C cpus=1 limit=5:00          => C waits Priority
0:30   ann cancels A                            => B starts, C starts

story: One that names its nodes keeps only these
set scheduler.type=builtin
qos q GrpTRES=cpu=2
0:00   ann submits A cpus=2 qos=q limit=10:00                => A starts on n1
0:01   bob submits B cpus=2 qos=q limit=10:00 nodelist=n2    => B waits QOSGrpCpuLimit
0:02   cat submits C cpus=1 limit=5:00                       => C starts on n1
0:03   cat submits D cpus=4 limit=5:00                       => D is pending

story: A limit on the number of jobs closes nothing
set scheduler.type=builtin
qos q GrpJobs=1
0:00   ann submits A cpus=2 qos=q limit=10:00   => A starts
0:01   bob submits B cpus=2 qos=q limit=10:00   => B waits QOSGrpJobsLimit
0:02   cat submits C cpus=1 limit=5:00          => C starts
