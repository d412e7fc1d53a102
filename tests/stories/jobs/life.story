# How jobs end, come back and change.
nodes n[1-2] cpus=4

story: A job that reaches its limit is ended
0:00  ann submits A limit=1:00              => A starts
0:59                                        => A runs
1:00                                        => A ends TIMEOUT

story: A job that is done ends before its limit
0:00  ann submits A limit=10:00 runs=1:00
0:00  ann submits B limit=10:00 fails=3@2:00
0:00  ann submits C limit=10:00 runs=oom@3:00
1:00                                        => A ends COMPLETED
2:00                                        => B ends FAILED
3:00                                        => C ends OUT_OF_MEMORY, nothing runs

story: A requeued job waits and runs again from the beginning
0:00  ann submits A limit=10:00 runs=3:00   => A starts
1:00  ann requeues A                        => A is requeued, A waits BeginTime
3:10                                        => A runs
7:00                                        => A ended COMPLETED

story: A suspended job keeps its memory and gives up its CPUs
0:00  ann submits A cpus=4 mem=10G limit=10:00 nodelist=n1   => A starts on n1
1:00  root suspends A                       => A is suspended, n1 has 6G memory free
2:00  root resumes A                        => A resumes

story: Any job may have the CPUs of one that an operator suspended
0:00  ann submits A cpus=4 limit=10:00 nodelist=n1   => A starts on n1
0:10  ann submits B cpus=4 limit=2:00 nodelist=n1    => B waits
0:20  root suspends A                                => B starts on n1
4:00  root resumes A                                 => A resumes

story: The limit of a running job can be lowered by its owner and raised by an operator
0:00  ann submits A limit=10:00             => A starts
0:10  ann updates A limit=5:00              => A runs
0:20  ann updates A limit=20:00             => A is refused "denied"
0:30  root updates A limit=20:00            => A runs
20:00                                       => A ends TIMEOUT

story: A pending job can move to another QoS and start
qos shut GrpTRES=cpu=0
0:00  ann submits A qos=shut limit=10:00    => A waits QOSGrpCpuLimit
0:01  ann updates A qos=normal              => A starts

story: A pending job can be made smaller
0:00  ann submits X nodes=2 cpus=3 limit=10:00
0:01  ann submits A cpus=2 limit=20:00      => A waits Resources
0:02  ann updates A cpus=1                  => A starts

story: A job that has ended cannot be cancelled
0:00  ann submits A limit=10:00 runs=0:10
1:00  ann cancels A                         => refused "already completing or completed", A ended COMPLETED
