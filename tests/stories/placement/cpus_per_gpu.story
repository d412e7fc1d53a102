# CPUs that come with GPUs.
nodes g[1-2] cpus=8 gpus=4
account team users=ann

story: Each GPU brings its CPUs
tags: same-nodes
0:00  ann submits A gpus=2 cpus-per-gpu=2 limit=10:00             => A starts, A holds 4 cpus
0:01  ann submits B gpus-per-node=1 cpus-per-gpu=3 limit=10:00    => B starts, B holds 3 cpus
0:02  ann submits C gpus-per-task=1 tasks=2 cpus-per-gpu=2 limit=10:00 => C starts, C holds 4 cpus
0:03  ann submits D gpus=1 cpus-per-gpu=2 limit=10:00 => D starts, D holds 2 cpus
