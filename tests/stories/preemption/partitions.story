# preempt/partition_prio: jobs of a higher tier preempt those of a lower one.
nodes n[1-2] cpus=4
partition lo nodes=all default=yes priority_tier=1
partition hi nodes=all priority_tier=10
set preemption.type=partition_prio preemption.mode=requeue

story: REQUEUE by partition takes the oldest, however large
0:00  bob submits A cpus=4 limit=30:00               => A starts on n1
0:01  bob submits B cpus=2 limit=30:00               => B starts on n2
0:02  bob submits C cpus=2 limit=30:00               => C starts on n2
0:10  ann submits H cpus=2 partition=hi limit=30:00  => A is preempted, A waits BeginTime, H starts on n1
0:20  ann submits I cpus=4 partition=hi limit=30:00  => B is preempted, C is preempted, I starts on n2

story: A partition with preempt_mode off is safe
partition lo preempt_mode=off
0:00  bob submits A nodes=2 cpus=4 limit=30:00
0:10  ann submits H cpus=2 partition=hi limit=30:00  => H waits Resources, A runs

story: SUSPEND puts the job to sleep until the other has ended
set preemption.mode=suspend preemption.gang=yes
0:00  bob submits A cpus=4 limit=30:00               => A starts on n1
0:01  bob submits B cpus=4 limit=30:00               => B starts on n2
0:10  ann submits H cpus=4 partition=hi limit=30:00  => A is suspended on n1, H starts on n1
0:20  ann submits I cpus=1 partition=hi limit=30:00  => B is suspended on n2, I starts on n2
0:30  bob submits C cpus=1 limit=30:00               => C waits Resources
1:10  H ends                                         => A resumes on n1, B is suspended

story: SUSPEND stops as many as are needed
set preemption.mode=suspend preemption.gang=yes
0:00  bob submits A cpus=2 nodelist=n1 limit=30:00
0:01  bob submits B cpus=2 nodelist=n1 limit=30:00
0:02  ann submits X cpus=4 partition=hi nodelist=n2 limit=30:00
0:10  ann submits H cpus=4 partition=hi limit=30:00  => A is suspended, B is suspended, H starts on n1

story: A suspended job keeps its memory, so a job that needs it waits
nodes n3 cpus=4 memory=4000
partition lo nodes=n3
partition hi nodes=n3
set preemption.mode=suspend preemption.gang=yes
0:00  bob submits A cpus=4 mem=3000 limit=30:00      => A starts on n3
0:10  ann submits H cpus=2 mem=2000 partition=hi limit=30:00  => H waits Resources, A runs

story: A suspended job's time does not count
set preemption.mode=suspend preemption.gang=yes
0:00   bob submits A cpus=4 nodelist=n1 limit=10:00 runs=5:00
1:00   ann submits H cpus=4 nodelist=n1 partition=hi limit=10:00 runs=3:00  => A is suspended, H starts
4:00                                                 => H ends COMPLETED, A resumes
8:00                                                 => A ends COMPLETED
