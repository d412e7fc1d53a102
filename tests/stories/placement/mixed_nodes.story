# Which nodes a job gets where nodes differ: select/cons_tres without topology.

story: Of nodes that follow each other by name the tightest that suffices is used
tags: same-nodes same-reasons
nodes n[1-2] cpus=4
nodes n3 cpus=16
nodes n[4-6] cpus=8
0:00  ann submits A tasks=6 limit=10:00              => A starts on n4
0:10  ann submits B tasks=2 limit=10:00              => B starts on n4
0:20  ann submits C tasks=12 limit=10:00             => C starts on n[5-6]
0:30  ann submits D tasks=16 limit=10:00             => D starts on n3

story: A set of neighbours that suffices with less to spare comes before a larger one
tags: same-nodes same-reasons
nodes n[1-4] cpus=4
nodes n5 cpus=2
0:00  ann submits A tasks=1 exclusive nodelist=n3 limit=20:00  => A starts on n3
0:10  ann submits B tasks=1 limit=10:00              => B starts on n5
0:20  ann submits C tasks=5 limit=10:00              => C starts on n[4-5]
0:30  ann submits D tasks=5 limit=10:00              => D starts on n[1-2]

story: Nodes are in the order of their names, whatever the order in the file
tags: same-nodes same-reasons
nodes n10 cpus=4
nodes n2 cpus=4
nodes n1 cpus=4
nodes n9 cpus=4
0:00  ann submits A tasks=5 limit=10:00              => A starts on n[1-2]
0:10  ann submits B tasks=8 limit=10:00              => B starts on n[2,9-10]

story: The lightest nodes are used first, and more of them than are needed are not kept together
tags: same-nodes same-reasons
nodes n[1-2] cpus=4 weight=5
nodes n3 cpus=2
nodes n4 cpus=4 weight=2
0:00  ann submits A tasks=4 limit=10:00              => A starts on n[3-4]
0:10  ann submits B nodes=1 tasks=4 limit=10:00      => B starts on n1

story: Each node gives what it has, but leaves a task for every node that must follow
tags: same-nodes same-reasons
nodes n[1-4] cpus=4
0:00  ann submits A nodes=3 tasks=6 limit=10:00      => A starts on n[1-3], n1 has 0 cpus free, n2 has 3 cpus free
0:10  ann submits B tasks=6 limit=10:00              => B starts on n[2-3]

story: A job that gives a range of nodes takes as many as it may have
tags: same-nodes same-reasons
nodes n[1-5] cpus=4
0:00  ann submits A nodes=2-4 tasks=8 limit=10:00    => A starts on n[1-4], n1 has 1 cpus free, n4 has 3 cpus free

story: The last node that a job may have must hold what is left
tags: same-nodes same-reasons
nodes n[1-3] cpus=4
0:00  ann submits A tasks=2 nodelist=n2 limit=20:00  => A starts on n2
0:10  ann submits B nodes=2 tasks=8 limit=10:00      => B starts on n[1,3]

story: Nodes that are named come first, then their neighbours, upwards before downwards
tags: same-nodes same-reasons
nodes n[1-6] cpus=4
0:00  ann submits A nodelist=n5 nodes=3 tasks=3 limit=10:00  => A starts on n[4-6]
0:10  ann submits B nodelist=n1,n3 tasks=3 limit=10:00       => B starts on n[1,3]

story: Of nodes with GPUs those with more that the job could use come first
tags: same-nodes same-reasons
nodes n[1-2] cpus=4
nodes n[3-5] cpus=8 gpus=2
nodes n6 cpus=8 gpus=4
0:00  ann submits A nodes=2 tasks=2 gpus=3 limit=10:00  => A starts on n[3,6], A holds gpus 0-1 of n3, A holds gpus 0 of n6
0:10  ann submits B tasks=1 gpus=1 limit=10:00       => B starts on n4
0:20  ann submits C exclusive gres=gpu:1 limit=10:00 => C starts on n5

story: GPUs for each task
tags: same-nodes same-reasons
nodes n[1-3] cpus=8 gpus=2
nodes n4 cpus=8 gpus=4
0:00  ann submits A tasks=6 gpus-per-task=1 limit=10:00  => A starts on n[1,4], n1 has 6 cpus free, n4 has 4 cpus free

story: A job with a node for itself takes memory for every CPU of it
tags: same-nodes same-reasons
nodes n1 cpus=4 memory=1000
nodes n2 cpus=4 memory=4000
0:00  ann submits A exclusive tasks=2 mem-per-cpu=300 limit=10:00  => A starts on n2, A holds 1200M memory of n2
0:10  ann submits B exclusive mem-per-cpu=250 limit=10:00          => B starts on n1

story: A job that says how many tasks it has gets no more nodes than tasks
tags: same-nodes same-reasons
nodes n[1-3] cpus=4
0:00  ann submits A nodes=1-2 tasks=1 limit=10:00  => A starts on n1

story: A node that is named belongs to the nodes before it, whatever it weighs
tags: same-nodes same-reasons
nodes n1 cpus=4 weight=5
nodes n[2-3] cpus=8 weight=10
nodes n[4-5] cpus=6 weight=10
0:00  ann submits A tasks=6 nodes=3 nodelist=n2 limit=10:00  => A starts on n[1-2,4]

story: Nodes that are named must hold what a bounded number of nodes has to
tags: same-nodes same-reasons
nodes n1 cpus=2
nodes n2 cpus=8
0:00  ann submits A tasks=4 nodes=1 nodelist=n1 limit=10:00  => A is refused "Requested node configuration is not available"
0:10  ann submits B tasks=4 nodelist=n1 limit=10:00          => B starts on n[1-2]

story: A node that is named is the first of its neighbours only behind a gap
tags: same-nodes same-reasons
nodes n1 cpus=2 weight=1
nodes n2 cpus=16 weight=1
nodes n[3-4] cpus=8 weight=5
nodes n[5-7] cpus=2 weight=10
nodes n[8-10] cpus=2 weight=5
0:00  ann submits A tasks=6 nodes=3-5 nodelist=n8 limit=10:00        => A starts on n[1-2,8-10]
0:10  root cancels A
0:20  ann submits B tasks=1 exclusive nodelist=n7 limit=60:00        => B starts on n7
0:30  ann submits C tasks=5 nodes=3 nodelist=n8 limit=10:00          => C starts on n[8-10]
