# Of several reasons, the one that the last pass of slurmctld leaves.

tags: same-reasons

story: Limits of the job before licenses
nodes n1 cpus=8
license lic=2
account team users=ann,bob GrpJobs=2
0:00  ann submits A licenses=lic:2 limit=30:00     => A starts
0:10  bob submits B licenses=lic:2 limit=30:00     => B waits Licenses
0:20  bob submits C limit=20:00                    => C starts, B waits AssocGrpJobsLimit

story: With sched/builtin licenses come first
nodes n1 cpus=8
license lic=2
set scheduler.type=builtin
account team users=ann,bob GrpJobs=2
0:00  ann submits A licenses=lic:2 limit=30:00     => A starts
0:10  bob submits B licenses=lic:2 limit=30:00     => B waits Licenses

story: With priority/basic what has been run is not taken off the minutes to run
nodes n1 cpus=16
account team users=ann GrpTRESRunMins=cpu=150
0:00   ann submits A cpus=5 limit=20:00            => A starts
11:40  ann submits B cpus=4 limit=20:00            => B waits AssocGrpCPURunMinutesLimit
11:50  ann submits C cpus=2 limit=20:00            => C starts
12:00  ann cancels A                               => B starts

story: With priority/multifactor it is
nodes n1 cpus=16
set priority.weight_qos=1000
account team users=ann GrpTRESRunMins=cpu=150
0:00   ann submits A cpus=5 limit=20:00            => A starts
11:40  ann submits B cpus=4 limit=20:00            => B starts
