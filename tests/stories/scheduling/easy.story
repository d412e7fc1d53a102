# EASY: only the first that waits has a reservation.
tags: simulated-only
nodes n1 cpus=8
set scheduler.type=easy

story: A job that does not delay the first may start
0:00  ann submits A cpus=6 limit=10:00    => A starts
0:01  bob submits B cpus=8 limit=10:00    => B waits Resources, expected 10:00
0:02  cat submits C cpus=2 limit=9:00     => C starts
0:03  dan submits D cpus=2 limit=9:00     => D is pending
10:00                                     => B starts

story: What fits beside the first even then may run longer
0:00  ann submits A cpus=6 limit=10:00    => A starts
0:01  bob submits B cpus=6 limit=10:00    => B waits Resources, expected 10:00
0:02  cat submits C cpus=2 limit=1:00:00  => C starts
10:00                                     => B starts

story: The second that waits may be overtaken
0:00  ann submits A cpus=6 limit=10:00    => A starts
0:01  bob submits B cpus=6 limit=10:00    => B waits Resources, expected 10:00
0:02  cat submits C cpus=6 limit=10:00    => C waits Priority
0:03  dan submits D cpus=2 limit=1:00:00  => D starts
10:00                                     => B starts, C is pending
