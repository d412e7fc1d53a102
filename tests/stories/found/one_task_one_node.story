# One task is on one node, however many nodes the job would like; a job that names no number of
# tasks takes as many nodes as it names.
tags: same-nodes same-reasons
nodes n[1-2] cpus=8
nodes n[3-4] cpus=4

story: A range of nodes and one task
0:00  ann submits A tasks=1 cpus-per-task=2 nodes=1-3 limit=10:00   => A starts on n3
0:10  ann submits B tasks=1 nodes=2 limit=10:00                     => B starts on n3
0:20  ann submits C tasks=2 nodes=1-3 limit=10:00                   => C starts on n[1-2]

story: A range of nodes and no number of tasks
0:00  ann submits A nodes=1-3 limit=10:00                           => A starts on n[1-3]

story: A limit of CPUs that two nodes would break
qos q MaxTRESPerUser=cpu=4
0:00  ann submits A tasks=3 qos=q limit=10:00                       => A starts
0:10  ann submits B tasks=1 nodes=2 qos=q limit=10:00               => B starts
