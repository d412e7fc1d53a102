# What comes with GPUs counts against limits once nodes are looked for, not at submission.
tags: same-reasons
nodes n1 cpus=16 memory=8000M gpus=8
qos few MaxTRESPerJob=cpu=2 Flags=DenyOnLimit
qos little MaxTRESPerJob=mem=250 Flags=DenyOnLimit
account team users=ann

story: CPUs
set jobs.def_cpu_per_gpu=3
0:00  ann submits A gpus=1 limit=10:00 qos=few                  => A waits QOSMaxCpuPerJobLimit
0:01  ann submits B gpus=1 cpus=2 limit=10:00 qos=few           => B starts
0:02  ann submits C gpus=1 cpus=3 limit=10:00 qos=few           => C is refused

story: Memory where jobs have some without GPUs
set jobs.def_mem_per_cpu=50M jobs.def_mem_per_gpu=300M
0:00  ann submits A gpus=1 limit=10:00 qos=little               => A waits QOSMaxMemoryPerJob

story: Memory where they have none
set jobs.def_mem_per_cpu=unlimited jobs.def_mem_per_gpu=300M
0:00  ann submits A gpus=1 limit=10:00 qos=little               => A is refused
