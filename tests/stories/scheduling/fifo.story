# sched/builtin: jobs start in order of the queue, none overtakes in a partition.
nodes n1 cpus=4
set scheduler.type=builtin

story: A job that lacks room stops every job behind it, even one that would fit beside it
0:00  ann submits A cpus=3 limit=10:00            => A starts on n1
0:01  bob submits B cpus=2 limit=10:00            => B waits Resources
0:02  cat submits C cpus=1 limit=1:00             => C waits Priority
10:00                                             => A ends TIMEOUT, B starts, C starts

story: A job stopped by a limit of its own holds up no other
qos small GrpTRES=cpu=1
0:00  ann submits A cpus=2 qos=small limit=10:00  => A waits QOSGrpCpuLimit
0:01  bob submits B cpus=2 limit=10:00            => B starts
0:02  cat submits C cpus=3 limit=10:00            => A waits QOSGrpCpuLimit, C waits Resources
0:03  dan submits D cpus=1 limit=10:00            => D waits Priority

story: A partition with nodes of its own continues while another is stopped
nodes n2 cpus=4
partition one nodes=n1 default=yes
partition two nodes=n2
0:00  ann submits A cpus=3 limit=10:00            => A starts on n1
0:01  bob submits B cpus=2 limit=10:00            => B waits Resources
0:02  cat submits C cpus=1 partition=two limit=1:00  => C starts on n2

story: A partition over the same nodes waits too, although a CPU is free
partition one nodes=n1 default=yes
partition two nodes=n1
0:00  ann submits A cpus=3 limit=10:00            => A starts on n1
0:01  bob submits B cpus=2 limit=10:00            => B waits Resources
0:02  cat submits C cpus=1 partition=two limit=1:00  => C is pending
0:03  dan submits D cpus=1 partition=two limit=1:00  => D waits Priority
