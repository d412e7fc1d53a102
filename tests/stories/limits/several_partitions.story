# A job that names several partitions and the QoS of each.
nodes n[1-2] cpus=4
partition main nodes=n[1-2] Default=YES
partition side nodes=n[1-2] QOS=sideq
partition wide nodes=n[1-2] QOS=wideq
account team users=ann,bob

story: While it waits a job counts against the QoS of every partition it names
qos sideq GrpSubmitJobs=1
qos wideq GrpSubmitJobs=2
0:00  bob submits X nodes=2 cpus=4 limit=60:00                => X starts
0:01  ann submits A partition=wide,side limit=10:00           => A waits
0:02  ann submits B partition=side limit=10:00                => B is refused QOSGrpSubmitJobsLimit
0:03  ann submits C partition=wide,side limit=10:00           => C is refused QOSGrpSubmitJobsLimit
0:04  ann submits D partition=wide limit=10:00                => D waits
0:05  ann submits E partition=wide limit=10:00                => E is refused QOSGrpSubmitJobsLimit

story: Once it runs it counts only where it runs
qos sideq GrpSubmitJobs=1
qos wideq GrpSubmitJobs=5
0:00  ann submits A partition=wide,side limit=10:00           => A starts
0:01  ann submits B partition=side limit=10:00                => B starts
0:02  ann submits C partition=wide,side limit=10:00           => C is refused QOSGrpSubmitJobsLimit

story: Tasks of an array count one by one in each
qos sideq GrpSubmitJobs=5
qos wideq GrpSubmitJobs=50
0:00  bob submits X nodes=2 cpus=4 limit=60:00                => X starts
0:01  ann submits A array=0-3 partition=wide,side limit=10:00 => 4 of A wait
0:02  ann submits B array=0-1 partition=wide,side limit=10:00 => B is refused QOSGrpSubmitJobsLimit
0:03  ann submits C partition=wide,side limit=10:00           => C waits

story: DenyOnLimit of one partition's QoS refuses the job for all
qos sideq GrpTRES=cpu=1 Flags=DenyOnLimit
qos wideq
0:00  ann submits A cpus=2 partition=wide,side limit=10:00    => A is refused QOSGrpCpuLimit
0:01  ann submits B cpus=2 partition=side,wide limit=10:00    => B is refused QOSGrpCpuLimit
0:02  ann submits C cpus=2 partition=main,wide limit=10:00    => C starts

story: A job that is requeued counts against all of them again
qos sideq GrpSubmitJobs=1
qos wideq GrpSubmitJobs=5
0:00  ann submits A partition=wide,side limit=10:00           => A starts
0:10  ann requeues A                                          => A waits BeginTime
0:20  ann submits B partition=side limit=10:00                => B is refused QOSGrpSubmitJobsLimit
