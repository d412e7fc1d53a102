# A job that was not looked at when it was submitted, and that no node could ever hold.
tags: same-reasons

story: A job that was held is found out when it is released, and no other job waits for it
nodes n1 cpus=4
nodes n2 cpus=2 gpus=1
0:00   ann submits A cpus=4 limit=10:00                     => A starts
0:10   ann submits B tasks=4 gres=gpu:1 limit=10:00 hold    => B waits JobHeldUser
0:20   root releases B                                      => B waits BadConstraints
0:30   bob submits C cpus=2 limit=10:00                     => C starts

story: A job that a limit stopped is found out when the limit lets it through
nodes n1 cpus=4
nodes n2 cpus=2 gpus=1
account team users=ann,bob
user ann account=team GrpJobs=1
0:00   ann submits A cpus=1 limit=10:00                     => A starts
0:10   ann submits B tasks=4 gres=gpu:1 limit=10:00         => B waits AssocGrpJobsLimit
0:20   root cancels A
0:30   bob submits C cpus=4 limit=10:00                     => C starts, B waits BadConstraints
