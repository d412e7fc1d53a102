# CPUs that come with GPUs.
nodes g[1-3] cpus=8 gpus=4
account team users=ann

story: Each GPU brings its CPUs
tags: same-nodes
0:00  ann submits A gpus=2 cpus-per-gpu=2 limit=10:00             => A starts, A holds 4 cpus
0:01  ann submits B gpus-per-node=1 cpus-per-gpu=3 limit=10:00    => B starts, B holds 3 cpus
0:02  ann submits C gpus-per-task=1 tasks=2 cpus-per-gpu=2 limit=10:00 => C starts, C holds 4 cpus
0:03  ann submits D gpus=1 cpus-per-gpu=2 limit=10:00 => D starts, D holds 2 cpus

story: CPUs of the GPUs of the whole job are for all of its tasks
tags: same-nodes
0:00  ann submits A gpus=2 tasks=3 cpus-per-gpu=2 limit=10:00  => A starts on g1, A holds 4 cpus
0:01  ann submits B gpus=2 tasks=4 cpus-per-gpu=1 limit=10:00  => B starts, B holds 4 cpus
0:02  ann submits C gpus=3 tasks=2 cpus-per-gpu=2 limit=10:00  => C starts, C holds 6 cpus
0:03  A ends
0:03  B ends
0:04  ann submits D gpus=2 tasks=3 cpus-per-gpu=3 limit=10:00  => D starts, D holds 6 cpus

story: They go where the GPUs are
tags: same-nodes
0:00  ann submits A nodes=2 gpus=6 cpus-per-gpu=2 limit=10:00  => A starts on g[1-2], A holds 8 cpus of g1, A holds 4 cpus of g2
0:01  A ends
0:02  ann submits B nodes=3 tasks=3 gpus=4 cpus-per-gpu=2 limit=10:00  => B starts on g[1-3], B holds 4 cpus of g1, B holds 2 cpus of g2

story: More tasks than these CPUs have a CPU each
tags: same-nodes
0:00  ann submits A tasks=20 gpus=4 cpus-per-gpu=2 limit=10:00  => A starts on g[1-3], A holds 20 cpus
0:01  A ends
0:02  ann submits B nodes=2 tasks=9 gpus-per-node=2 cpus-per-gpu=2 limit=10:00  => B starts on g[1-2], B holds 5 cpus of g1, B holds 4 cpus of g2

story: Tasks of a node share the CPUs of its GPUs
tags: same-nodes
0:00  ann submits A nodes=2 tasks=6 gpus-per-node=2 cpus-per-gpu=2 limit=10:00  => A starts on g[1-2], A holds 8 cpus
0:01  ann submits B tasks=4 gres=gpu:2 cpus-per-gpu=3 limit=10:00               => B starts on g3, B holds 6 cpus

story: GPUs of the whole job fill one node after the other, but for one for each that follows
tags: same-nodes
0:00  ann submits A nodes=3 tasks=6 gpus=7 limit=10:00  => A starts on g[1-3], A holds gpus 0-3 of g1, A holds gpus 0-1 of g2
0:01  A ends
0:02  ann submits B nodes=2 gpus=5 limit=10:00  => B starts on g[1-2], B holds gpus 0-3 of g1, B holds gpus 0 of g2
