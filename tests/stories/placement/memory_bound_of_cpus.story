# MaxMemPerCPU, and memory that comes with GPUs.
nodes n[1-2] cpus=8 memory=4000 gpus=4
tags: same-reasons, same-nodes

story: It counts as all that a node has, and brings its CPUs
set jobs.def_mem_per_cpu=unlimited jobs.max_mem_per_cpu=1000
0:00  ann submits A gpus=1 limit=10:00 -- --mem-per-gpu=200                  => A starts on n1, A holds 4 cpus, A holds 200M memory
0:01  ann submits B gpus=1 tasks=2 limit=10:00 -- --mem-per-gpu=200          => B starts on n1, B holds 4 cpus
0:02  ann submits C gpus=1 cpus-per-gpu=2 limit=10:00 -- --mem-per-gpu=200   => C starts on n2, C holds 4 cpus

story: On each of its nodes
set jobs.def_mem_per_cpu=unlimited jobs.max_mem_per_cpu=1000
0:00  ann submits A nodes=2 gpus=2 limit=10:00 -- --mem-per-gpu=200  => A starts on n[1-2], A holds 8 cpus
