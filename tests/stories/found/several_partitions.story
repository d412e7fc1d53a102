# Reasons of a job that names several partitions.

story: Closed in the second, it waits with Priority
nodes n1 cpus=2
account team users=ann,bob
partition main nodes=n1 Default=YES
partition side nodes=n1
qos q Priority=0
qos r Priority=50
set priority.weight_qos=1000
tags: same-reasons
0:00  ann submits A cpus=2 limit=60:00 partition=side,main      => A starts
0:50  ann submits F cpus=1 limit=20:00 qos=r                    => F waits Resources
1:00  bob submits G cpus=2 limit=20:00 qos=q partition=side,main => G waits Priority

story: A limit of one partition is not the reason where another partition has one
nodes n1 cpus=2
account team users=ann,bob
partition main nodes=n1 Default=YES
partition side nodes=n1 MaxTime=30
qos r MaxTRESMinsPerJob=cpu=45
tags: same-reasons
0:00  bob submits A cpus=2 limit=10:00                          => A starts
0:20  ann submits I cpus=2 limit=60:00 qos=r partition=main,side => I waits QOSMaxCpuMinutesPerJobLimit

story: The first partition that is named is tried first
nodes n1 cpus=4
account team users=ann
partition a nodes=n1 Default=YES QOS=qa
partition b nodes=n1 QOS=qb
qos qa GrpJobs=1
qos qb GrpJobs=1
0:00  ann submits A limit=10:00 partition=b,a                   => A starts
0:10  ann submits B limit=10:00 partition=a                     => B starts
0:20  ann submits C limit=10:00 partition=b                     => C waits QOSGrpJobsLimit
