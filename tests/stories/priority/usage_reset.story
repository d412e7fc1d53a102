# PriorityUsageResetPeriod: past use is forgotten when a day begins.
nodes n[1-2] cpus=16
set priority.calc_period=5m priority.half_life=0 priority.weight_fairshare=1000
account team users=ann,bob
qos q GrpTRESMins=cpu=5

story: Every day
set priority.usage_reset=daily
0:00        ann submits A cpus=10 limit=10:00 runs=1:00 qos=q
10:00       ann submits B cpus=1 limit=1:00 runs=0:10 qos=q
1-00:30:00  time passes
1-01:00:00  => B ended COMPLETED

story: Without it, never
0:00        ann submits A cpus=10 limit=10:00 runs=1:00 qos=q
10:00       ann submits B cpus=1 limit=1:00 runs=0:10 qos=q   => B waits QOSGrpCPUMinutesLimit
1-01:00:00  => B waits QOSGrpCPUMinutesLimit
