# UsageThreshold of a QoS with EnforceUsageThreshold: jobs wait while fairshare gives less than this
# to their priority.
tags: same-reasons
nodes n1 cpus=16
account team users=ann,bob
qos fair UsageThreshold=500 Flags=EnforceUsageThreshold
qos half UsageThreshold=0.5 Flags=EnforceUsageThreshold
qos zero UsageThreshold=0 Flags=EnforceUsageThreshold
qos none Flags=EnforceUsageThreshold
qos loose UsageThreshold=500
set priority.calc_period=1m priority.half_life=7d

story: What is compared has the weight of fairshare in it
set priority.weight_fairshare=1000
0:00    ann submits A cpus=8 limit=5:00 runs=4:00              => A starts
0:00    bob submits B cpus=1 limit=5:00 runs=4:00              => B starts
6:00    => fairshare of bob > ann
6:01    ann submits C cpus=1 limit=10:00 qos=fair              => C waits QOSUsageThreshold
6:02    bob submits D cpus=1 limit=10:00 qos=fair              => D starts
6:03    ann submits E cpus=1 limit=10:00 qos=half              => E starts
6:04    ann submits F cpus=1 limit=10:00 qos=zero              => F starts
6:05    bob submits G cpus=1 limit=10:00 qos=none              => G waits QOSUsageThreshold
6:06    ann submits H cpus=1 limit=10:00 qos=loose             => H starts

story: Without a weight it is the classic factor
set priority.weight_fairshare=0
0:00    ann submits A cpus=8 limit=5:00 runs=4:00              => A starts
0:00    bob submits B cpus=1 limit=5:00 runs=4:00              => B starts
6:01    ann submits C cpus=1 limit=10:00 qos=half              => C starts
6:02    bob submits D cpus=1 limit=10:00 qos=half              => D starts
6:03    bob submits E cpus=1 limit=10:00 qos=fair              => E waits QOSUsageThreshold

story: It starts once others have used more
set priority.weight_fairshare=1000
0:00    ann submits A cpus=4 limit=10:00 runs=4:00             => A starts
0:00    bob submits B cpus=1 limit=1:00:00 runs=50:00          => B starts
6:01    ann submits C cpus=1 limit=10:00 qos=fair              => C waits QOSUsageThreshold
6:02    ann submits D cpus=1 limit=10:00                       => D starts
30:00   => C runs on n1
