# For which of the waiting jobs backfill keeps nodes, and how many of a partition are looked at.

story: bf_min_age_reserve: a job that has waited for less reserves nothing
nodes n[1-2] cpus=2
set scheduler.backfill_min_age_reserve=2m
0:00  ann submits A nodes=1 cpus=2 limit=10:00    => A starts
0:10  bob submits B nodes=2 cpus=2 limit=10:00    => B waits Resources
0:20  cat submits C nodes=1 cpus=1 limit=20:00    => C starts
3:00  dan submits D nodes=1 cpus=1 limit=60:00    => D waits Priority

story: bf_min_prio_reserve: a job of less priority reserves nothing
nodes n[1-2] cpus=2
set priority.weight_qos=1000 scheduler.backfill_min_prio_reserve=500
qos low Priority=10
qos high Priority=100
0:00  ann submits A nodes=1 cpus=2 limit=10:00 qos=low    => A starts
0:10  bob submits B nodes=2 cpus=2 limit=10:00 qos=low    => B waits Resources
0:20  cat submits C nodes=1 cpus=1 limit=20:00 qos=low    => C starts
0:30  dan submits D nodes=2 cpus=2 limit=20:00 qos=high   => D waits Resources
0:40  eve submits E nodes=1 cpus=1 limit=60:00 qos=low    => E waits Priority

story: partition_job_depth bounds the jobs of a partition that a pass looks at
nodes n[1-2] cpus=2
partition main nodes=n1 Default=YES
partition side nodes=n2
set scheduler.type=builtin scheduler.partition_job_depth=1
qos tight GrpTRES=cpu=1
0:00  ann submits A cpus=2 qos=tight limit=10:00                   => A waits QOSGrpCpuLimit
0:10  bob submits B cpus=1 qos=normal limit=10:00                  => B is pending
0:20  cat submits C cpus=1 partition=side qos=normal limit=10:00   => C starts on n2
