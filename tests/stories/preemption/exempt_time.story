# What happens to the one preempted.
nodes n1 cpus=4
qos low  Priority=10
qos high Priority=100 Preempt=low
set preemption.type=qos preemption.mode=requeue priority.weight_qos=1000

story: PreemptExemptTime keeps it safe in the beginning
qos low PreemptExemptTime=0:30
0:00   bob submits A cpus=4 qos=low limit=30:00
0:05   ann submits H cpus=4 qos=high limit=1:00             => A runs, H waits Resources
0:29                                                        => A runs, H waits Resources
0:35                                                        => A waits BeginTime, H runs
