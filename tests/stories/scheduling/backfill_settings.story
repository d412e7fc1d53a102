# How far backfill looks: into the future (bf_window) and down the queue (bf_max_job_test).
nodes n1 cpus=4
tags: same-reasons

story: Beyond bf_window no job has a reservation
set scheduler.backfill_window=30:00
0:00  ann submits A cpus=3 limit=60:00       => A starts
0:01  bob submits B cpus=4 limit=10:00       => B waits Resources
0:02  cat submits C cpus=1 limit=120:00      => C starts

story: Within bf_window a reservation keeps others away
set scheduler.backfill_window=2:00:00
0:00  ann submits A cpus=3 limit=60:00       => A starts
0:01  bob submits B cpus=4 limit=10:00       => B waits Resources
0:10  cat submits C cpus=1 limit=120:00      => C waits Priority

story: Behind the first bf_max_job_test jobs none is looked at
set scheduler.backfill_max_job_test=2
0:00  ann submits A cpus=3 limit=60:00       => A starts
0:01  bob submits B cpus=4 limit=10:00       => B waits Resources
0:02  bob submits C cpus=4 limit=10:00       => C waits Priority
0:10  cat submits D cpus=1 limit=5:00        => D waits Priority

story: Backfill looks at no more jobs of a user than bf_max_job_user
set scheduler.backfill_max_job_user=1
0:00  bob submits A cpus=2 limit=20:00   => A starts
0:10  ann submits B cpus=4 limit=10:00   => B waits Resources
0:20  ann submits C cpus=1 limit=10:00   => C waits Priority
0:30  bob submits D cpus=1 limit=10:00   => D starts
0:40  bob submits E cpus=1 limit=10:00   => E starts

story: Backfill looks at no more jobs of a partition than bf_max_job_part
set scheduler.backfill_max_job_part=2
0:00  bob submits A cpus=2 limit=20:00   => A starts
0:10  ann submits B cpus=4 limit=10:00   => B waits Resources
0:20  ann submits C cpus=4 limit=10:00   => C waits Priority
0:30  bob submits D cpus=1 limit=10:00   => D waits Priority
0:40  root cancels C                     => D starts
