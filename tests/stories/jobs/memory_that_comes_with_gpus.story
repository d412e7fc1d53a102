# A job with GPUs that names no memory gets that of its GPUs, not that of its CPUs.
tags: same-reasons
nodes   n1 cpus=8 memory=1000M gpus=4
set     jobs.def_mem_per_cpu=50M jobs.def_mem_per_gpu=300M
0:00    ann submits A  gpus=2 cpus=1 limit=10:00            => A starts
0:01    bob submits B  gpus=1 cpus=4 limit=10:00            => B starts
0:02    cat submits C  gpus=1 cpus=1 limit=10:00            => C waits Resources
