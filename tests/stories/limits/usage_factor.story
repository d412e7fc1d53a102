# UsageFactor of a job's own QoS multiplies what it counts for in limits on run minutes.
tags: same-reasons
nodes n[1-2] cpus=8

story: Half of what runs counts, and all of what a job asks for
qos q GrpTRESRunMins=cpu=60 UsageFactor=0.5
0:00   ann submits A cpus=2 limit=30:00 qos=q   => A starts
0:01   ann submits B cpus=2 limit=20:00 qos=q   => B waits QOSGrpCPURunMinutesLimit
0:02   ann submits C cpus=2 limit=15:00 qos=q   => C starts

story: Twice of what runs counts
qos q GrpTRESRunMins=cpu=100 UsageFactor=2
0:00   ann submits A cpus=2 limit=20:00 qos=q   => A starts
0:01   ann submits B cpus=1 limit=20:00 qos=q   => B starts
0:02   ann submits C cpus=1 limit=1:00 qos=q    => C waits QOSGrpCPURunMinutesLimit

story: Time that passes is taken off as often
set priority.weight_age=1 priority.calc_period=1m
qos q GrpTRESRunMins=cpu=100 UsageFactor=2
0:00   ann submits A cpus=1 limit=40:00 qos=q   => A starts
0:01   ann submits B cpus=1 limit=40:00 qos=q   => B waits QOSGrpCPURunMinutesLimit
7:00   => B waits
13:00  => B runs

story: With UsageFactorSafe what a job asks for is multiplied too
set enforce=associations,limits,qos,safe
qos q GrpTRESRunMins=cpu=60 UsageFactor=0.5 Flags=UsageFactorSafe
0:00   ann submits A cpus=2 limit=40:00 qos=q   => A starts
0:01   ann submits B cpus=2 limit=20:00 qos=q   => B starts
0:02   ann submits C cpus=1 limit=2:00 qos=q    => C waits QOSGrpCPURunMinutesLimit

story: A QoS that costs nothing counts in no book, and is held against nobody's use but its own job's
qos z UsageFactor=0
account team GrpTRESRunMins=cpu=60 users=ann qos=z,normal
0:00   ann submits A cpus=1 limit=60:00 qos=z   => A starts
0:01   ann submits B cpus=1 limit=60:00         => B starts
0:02   ann submits C cpus=1 limit=1:00          => C waits AssocGrpCPURunMinutesLimit
0:03   ann submits D cpus=1 limit=50:00 qos=z   => D starts
0:04   ann submits E cpus=1 limit=80:00 qos=z   => E waits AssocGrpCPURunMinutesLimit

story: Nor is it held against what was used before, until that ends it
qos z UsageFactor=0
account team GrpTRESMins=cpu=20 users=ann qos=z,normal
set priority.weight_age=1 priority.calc_period=1m
0:00   ann submits A cpus=8 limit=5:00 runs=4:00  => A starts
6:00   ann submits B cpus=1 limit=5:00            => B waits AssocGrpCPUMinutesLimit
6:01   ann submits C cpus=1 limit=5:00 qos=z      => C starts
8:00   => C ended TIMEOUT

story: The same where the partition's QoS has the limit
qos z UsageFactor=0
qos part GrpTRESMins=cpu=20
partition p nodes=all qos=part
set priority.weight_age=1 priority.calc_period=1m
0:00   ann submits A cpus=8 limit=5:00 runs=4:00  => A starts
6:00   ann submits B cpus=1 limit=5:00            => B waits QOSGrpCPUMinutesLimit
6:01   ann submits C cpus=1 limit=5:00 qos=z      => C starts

story: With safe limits, too
set enforce=associations,limits,qos,safe
qos z UsageFactor=0
account team GrpTRESMins=cpu=40 users=ann qos=z,normal
set priority.weight_age=1 priority.calc_period=1m
0:00   ann submits A cpus=8 limit=5:00 runs=4:00  => A starts
0:01   ann submits B cpus=1 limit=5:00            => B waits AssocGrpCPUMinutesLimit
0:02   ann submits C cpus=1 limit=41:00 qos=z     => C waits AssocGrpCPUMinutesLimit
0:03   ann submits D cpus=1 limit=40:00 qos=z     => D starts
