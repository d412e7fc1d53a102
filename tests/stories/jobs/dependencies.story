# Dependencies and their fates.
nodes n1 cpus=4

story: afterok starts when the other completed
tags: quick-slurm
0:00  ann submits A runs=1:00 limit=10:00
0:01  ann submits B after-ok=A limit=10:00     => B waits Dependency
1:00                                           => A ends COMPLETED, B starts

story: afterok can never be met when the other failed
0:00  ann submits A fails=1@1:00 limit=10:00
0:01  ann submits B after-ok=A limit=10:00     => B waits Dependency
1:00                                           => A ends FAILED, B waits DependencyNeverSatisfied
10:00                                          => B waits DependencyNeverSatisfied

story: kill_invalid_depend cancels what can never start
set scheduler.kill_invalid_depend=yes
0:00  ann submits A fails=1@1:00 limit=10:00
0:01  ann submits B after-ok=A limit=10:00     => B waits Dependency
1:00                                           => B ends CANCELLED

story: afternotok starts when the other failed
0:00  ann submits A fails=1@1:00 limit=10:00
0:01  ann submits B after-not-ok=A limit=10:00 => B waits Dependency
1:00                                           => B starts

story: afternotok also takes a timeout and a cancellation for a failure
0:00  ann submits A limit=1:00
0:01  ann submits B after-not-ok=A limit=10:00
0:02  ann submits C limit=10:00
0:03  ann submits D after-not-ok=C limit=10:00
0:10  ann cancels C                            => D starts
1:00                                           => A ends TIMEOUT, B starts

story: afterany starts whatever became of the other
0:00  ann submits A fails=1@1:00 limit=10:00
0:01  ann submits B runs=2:00 limit=10:00
0:02  ann submits C after-any=A:B limit=10:00  => C waits Dependency
1:00                                           => C waits Dependency
2:01                                           => C starts

story: after starts once the other has started
0:00  ann submits X cpus=4 limit=1:00
0:01  ann submits A limit=10:00                => A waits Resources
0:02  ann submits B after=A limit=10:00        => B waits Dependency
1:00                                           => A starts, B starts

story: One of several alternatives suffices
0:00  ann submits A fails=1@1:00 limit=10:00
0:01  ann submits B runs=2:00 limit=10:00
0:02  ann submits C dependency=afterok:A?afterok:B limit=10:00   => C waits Dependency
1:00                                           => C waits Dependency
2:01                                           => C starts

story: A dependency on an array is on all of its tasks
0:00  ann submits A array=0-2 runs=1:00 limit=10:00
0:01  ann submits B after-ok=A limit=10:00     => B waits Dependency
0:30  A[1] ends                                => B waits Dependency
1:00                                           => B starts

story: aftercorr lets each task follow its twin
0:00  ann submits A array=0-1 limit=10:00
0:01  ann submits B array=0-1 after-corr=A limit=10:00  => B waits Dependency
0:30  A[1] ends                                => B[1] starts, B[0] waits Dependency
1:00  A[0] ends                                => B[0] starts

story: singleton waits for jobs of the same name and user
0:00  ann submits A name=x runs=1:00 limit=10:00   => A starts
0:01  ann submits B name=x singleton limit=10:00   => B waits Dependency
0:02  bob submits C name=x singleton limit=10:00   => C starts
1:00                                               => B starts

story: A dependency on a job that has ended is decided at once
0:00  ann submits A runs=0:10 limit=10:00
0:00  ann submits B fails=1@0:10 limit=10:00
0:20  ann submits C after-ok=A limit=10:00     => C starts
0:21  ann submits D after-ok=B limit=10:00     => D waits DependencyNeverSatisfied
0:22  ann submits E after-not-ok=A limit=10:00 => E waits DependencyNeverSatisfied

story: Those that wait for an array's start come in while its tasks start
0:00  ann submits A array=0-7 cpus=1 hold limit=10:00
0:01  ann submits B1 after=A cpus=1 limit=10:00
0:01  ann submits B2 after=A cpus=1 limit=10:00
0:01  ann submits B3 after=A cpus=1 limit=10:00
0:01  ann submits B4 after=A cpus=1 limit=10:00
0:01  ann submits B5 after=A cpus=1 limit=10:00
0:01  ann submits B6 after=A cpus=1 limit=10:00
0:01  ann submits B7 after=A cpus=1 limit=10:00
0:01  ann submits B8 after=A cpus=1 limit=10:00
0:01  ann submits B9 after=A cpus=1 limit=10:00
0:01  ann submits B10 after=A cpus=1 limit=10:00
0:01  ann submits B11 after=A cpus=1 limit=10:00
0:01  ann submits B12 after=A cpus=1 limit=10:00
0:02  ann releases A                           => 4 of A run, 4 of A wait, B1 waits, B12 waits
