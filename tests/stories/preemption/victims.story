# preempt/qos with REQUEUE: which jobs are preempted, as slurmctld chooses. Fewest QoS priority first, then
# fewest nodes, then lowest number; a job that need not go is spared.
nodes n[1-2] cpus=4
qos low  Priority=10
qos low2 Priority=20
qos high Priority=100 Preempt=low,low2
set preemption.type=qos preemption.mode=requeue priority.weight_qos=1000

story: The oldest of equals goes
0:00  bob submits A cpus=2 qos=low limit=30:00   => A starts on n1
0:01  bob submits B cpus=2 qos=low limit=30:00   => B starts on n1
0:02  bob submits C cpus=2 qos=low limit=30:00   => C starts on n2
0:03  bob submits D cpus=2 qos=low limit=30:00   => D starts on n2
0:10  ann submits H cpus=2 qos=high limit=30:00  => A is preempted, H starts on n1, B runs, C runs, D runs
0:20  ann submits I cpus=4 qos=high limit=30:00  => C is preempted, D is preempted, I starts on n2, B runs

story: The lowest QoS goes first
0:00  bob submits A cpus=2 qos=low2 nodelist=n1 limit=30:00
0:01  bob submits B cpus=2 qos=low nodelist=n1 limit=30:00
0:02  bob submits C cpus=2 qos=low nodelist=n2 limit=30:00
0:03  bob submits D cpus=2 qos=low2 nodelist=n2 limit=30:00
0:10  ann submits H cpus=2 qos=high limit=30:00  => B is preempted, H starts on n1, A runs, C runs, D runs

story: Size does not matter, age does
0:00  bob submits A cpus=3 qos=low nodelist=n1 limit=30:00
0:01  bob submits B cpus=1 qos=low nodelist=n1 limit=30:00
0:02  bob submits C cpus=4 qos=low nodelist=n2 limit=30:00
0:10  ann submits H cpus=1 qos=high limit=30:00  => A is preempted, H starts on n1, B runs, C runs

story: As many go as are needed
0:00  bob submits A cpus=3 qos=low nodelist=n1 limit=30:00
0:01  bob submits B cpus=1 qos=low nodelist=n1 limit=30:00
0:02  bob submits C cpus=4 qos=normal nodelist=n2 limit=30:00
0:10  ann submits H cpus=4 qos=high limit=30:00  => A is preempted, B is preempted, H starts on n1, C runs

story: A job that need not go is spared
0:00  bob submits A cpus=1 qos=low nodelist=n1 limit=30:00
0:01  bob submits B cpus=3 qos=low nodelist=n1 limit=30:00
0:02  bob submits C cpus=4 qos=normal nodelist=n2 limit=30:00
0:10  ann submits H cpus=3 qos=high limit=30:00  => B is preempted, A runs, H starts on n1

story: Those of other nodes are spared
0:00  bob submits A cpus=1 qos=low nodelist=n1 limit=30:00
0:01  bob submits B cpus=3 qos=normal nodelist=n1 limit=30:00
0:02  bob submits C cpus=4 qos=low nodelist=n2 limit=30:00
0:10  ann submits H cpus=4 qos=high limit=30:00  => C is preempted, A runs, B runs, H starts on n2

story: A job of fewer nodes goes before one of more
0:00  bob submits A nodes=2 qos=low limit=30:00
0:01  bob submits B cpus=3 qos=low nodelist=n1 limit=30:00
0:02  bob submits C cpus=3 qos=low nodelist=n2 limit=30:00
0:10  ann submits H cpus=1 qos=high limit=30:00  => B is preempted, A runs, C runs, H starts on n1

story: No job is preempted where there is room
0:00  bob submits A cpus=4 qos=low limit=30:00   => A starts on n1
0:10  ann submits H cpus=4 qos=high limit=30:00  => H starts on n2, A runs

story: No job is preempted for one that its own limit stops
qos high GrpTRES=cpu=1
0:00  bob submits A cpus=4 qos=low limit=30:00
0:01  bob submits B cpus=4 qos=low limit=30:00
0:10  ann submits H cpus=2 qos=high limit=30:00  => H is pending, A runs, B runs

story: A QoS that is not named in Preempt is safe
0:00  bob submits A cpus=4 qos=normal limit=30:00
0:01  bob submits B cpus=4 qos=normal limit=30:00
0:10  ann submits H cpus=2 qos=high limit=30:00  => H waits Resources, A runs, B runs

story: The one that tips the balance goes first, then those that have most of the nodes it would get
nodes n3 cpus=2
0:00  bob submits A cpus=1 qos=low nodelist=n2 limit=30:00
0:01  bob submits B cpus=1 qos=low nodelist=n2 limit=30:00
0:02  bob submits C cpus=1 qos=low nodelist=n2 limit=30:00
0:03  bob submits D cpus=2 qos=low nodelist=n3 limit=30:00
0:04  bob submits E cpus=1 qos=low nodelist=n1 limit=30:00
0:05  bob submits F cpus=1 qos=low nodelist=n2 limit=30:00
0:06  bob submits G cpus=3 qos=low nodelist=n1 limit=30:00
0:12  ann submits H tasks=8 qos=high limit=30:00  => H starts on n[1-2], D runs, E is preempted

story: preempt_strict_order: the one that tips the balance goes first, the others stay in their order
nodes n3 cpus=2
set preemption.strict_order=yes
0:00  bob submits A cpus=1 qos=low nodelist=n2 limit=30:00
0:01  bob submits B cpus=1 qos=low nodelist=n2 limit=30:00
0:02  bob submits C cpus=1 qos=low nodelist=n2 limit=30:00
0:03  bob submits D cpus=2 qos=low nodelist=n3 limit=30:00
0:04  bob submits E cpus=1 qos=low nodelist=n1 limit=30:00
0:05  bob submits F cpus=1 qos=low nodelist=n2 limit=30:00
0:06  bob submits G cpus=3 qos=low nodelist=n1 limit=30:00
0:12  ann submits H tasks=8 qos=high limit=30:00  => H starts on n[1-3]
