# What happens to the one preempted.
nodes n1 cpus=4
qos low  Priority=10
qos high Priority=100 Preempt=low
set preemption.type=qos preemption.mode=requeue priority.weight_qos=1000

story: REQUEUE: back to the queue, and not before two minutes
tags: quick-slurm
0:00   bob submits A cpus=4 qos=low limit=30:00 runs=20:00  => A starts
1:00   ann submits H cpus=4 qos=high limit=1:00             => H starts, A ends PREEMPTED, A is requeued, A waits BeginTime
2:00                                                        => H ends TIMEOUT, A waits BeginTime
3:10                                                        => A runs

story: REQUEUE cancels a job that may not be requeued
0:00   bob submits A cpus=4 qos=low limit=30:00 requeue=no
1:00   ann submits H cpus=4 qos=high limit=1:00             => H starts, A ends PREEMPTED
10:00                                                       => A ended PREEMPTED

story: CANCEL ends it for good
set preemption.mode=cancel
0:00   bob submits A cpus=4 qos=low limit=30:00
1:00   ann submits H cpus=4 qos=high limit=1:00             => H starts, A ends PREEMPTED
10:00                                                       => A ended PREEMPTED

story: The mode of the QoS counts before the cluster's
qos low PreemptMode=cancel
0:00   bob submits A cpus=4 qos=low limit=30:00
1:00   ann submits H cpus=4 qos=high limit=1:00             => H starts, A ends PREEMPTED
10:00                                                       => A ended PREEMPTED

story: GraceTime lets it run on for a moment
qos low GraceTime=15s
0:00   bob submits A cpus=4 qos=low limit=30:00
1:00   ann submits H cpus=4 qos=high limit=1:00             => A is preempted, A runs, H waits Resources
1:14                                                        => A runs, H waits Resources
1:15                                                        => A ends PREEMPTED, A waits BeginTime, H starts

story: youngest_first takes the one that started last
set preemption.youngest_first=yes
0:00   bob submits A cpus=2 qos=low limit=30:00             => A starts
0:03   bob submits B cpus=2 qos=low limit=30:00             => B starts
1:00   ann submits H cpus=2 qos=high limit=1:00             => B is preempted, A runs, H starts
