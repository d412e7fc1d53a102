# Jobs that may not start yet.
nodes n1 cpus=4

story: A job held by its owner waits until it is released
0:00  ann submits A hold limit=1:00        => A waits JobHeldUser, A has priority 0
0:10  ann releases A                       => A starts

story: What an administrator holds only an administrator releases
0:00  ann submits X cpus=4 limit=10:00
0:01  ann submits A limit=1:00
0:02  root holds A                         => A waits JobHeldAdmin
0:03  ann releases A                       => refused "denied", A waits JobHeldAdmin
0:04  root releases A                      => A waits Resources

story: Begin keeps a job back until then
0:00  ann submits A begin=5:00 limit=1:00  => A waits BeginTime
4:59                                       => A waits BeginTime
5:00                                       => A starts

story: A held job lets others pass
0:00  ann submits X cpus=4 limit=1:00
0:01  ann submits A cpus=4 hold limit=1:00
0:02  bob submits B cpus=4 limit=1:00      => B waits Resources
1:00                                       => B starts, A waits JobHeldUser

story: No other user may cancel or hold a job
0:00  ann submits A limit=10:00            => A starts
0:01  bob cancels A                        => refused "denied", A runs
0:02  root cancels A                       => A ends CANCELLED
0:03  ann submits B hold                   => B waits JobHeldUser
0:04  bob releases B                       => refused, B waits JobHeldUser

story: Those behind a job that is held wait for it no more
0:00  ann submits A cpus=2 limit=20:00
0:01  ann submits B cpus=4 limit=10:00   => B waits
0:02  ann submits C cpus=2 limit=40:00   => C waits
1:00                                     => C waits
1:01  ann holds B                        => B waits JobHeldUser
2:00                                     => C runs
