# Job arrays.
nodes n1 cpus=4

story: Tasks start one by one, lowest index first
0:00  ann submits A array=0-9 limit=10:00 runs=1:00   => 4 of A run, A[0-3] run, A[4-9] wait Resources
1:00                                                  => A[0-3] end COMPLETED, A[4-7] start, A[8-9] wait Resources
3:00                                                  => 10 of A ended, A ended COMPLETED

story: A throttle keeps tasks back
0:00  ann submits A array=0-9%2 limit=10:00           => 2 of A run, A[2-9] wait JobArrayTaskLimit
0:10  A[0] ends                                       => A[2] starts, 2 of A run
0:20  ann updates A throttle=3                        => 3 of A run
0:30  ann updates A throttle=0                        => 4 of A run, A[5-9] wait Resources

story: One task can be cancelled, others continue
0:00  ann submits A array=0-5 limit=10:00             => 4 of A run
0:01  ann cancels A[5]                                => A[5] ends CANCELLED, A[4] waits Resources
0:02  ann cancels A[0]                                => A[0] ends CANCELLED, A[4] starts
0:03  ann cancels A                                   => A ended CANCELLED, nothing runs, nothing waits

story: Each task counts against submit limits
qos few MaxSubmitJobsPerUser=10
0:00  ann submits A array=0-99 qos=few                => A is refused QOSMaxSubmitJobPerUserLimit
0:01  ann submits B array=0-9 qos=few                 => 4 of B run
0:02  ann submits C qos=few                           => C is refused QOSMaxSubmitJobPerUserLimit
0:03  bob submits D qos=few                           => D is pending

story: Only running tasks count against job limits
qos two MaxJobsPerUser=2
0:00  ann submits A array=0-99 qos=two limit=10:00    => 2 of A run, A[2-99] wait QOSMaxJobsPerUserLimit
0:01  A[0] ends                                       => A[2] starts

story: An index beyond MaxArraySize is refused
0:00  ann submits A array=0-1001                      => A is refused "Invalid job array specification"
0:01  ann submits B array=1000                        => B starts

story: Hold and release whole arrays
0:00  ann submits A array=0-2 hold                    => A waits JobHeldUser
0:01  ann releases A                                  => A starts

story: A dependency on an array with a failed task can never be met
0:00  ann submits A array=0-2 limit=10:00
0:01  ann submits B after-ok=A limit=10:00            => B waits Dependency
0:02  ann submits C after-any=A limit=10:00           => C waits Dependency
0:10  A[0] ends
0:11  A[1] fails exit=1
0:12  A[2] ends                                       => B waits DependencyNeverSatisfied, C starts

story: What a throttle keeps back waits with JobArrayTaskLimit
0:00  ann submits A array=0-3%2 limit=10:00            => 2 of A run, A[2] waits JobArrayTaskLimit
