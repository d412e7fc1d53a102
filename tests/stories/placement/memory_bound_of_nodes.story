# MaxMemPerNode, and jobs that say nothing of the memory of a node.
tags: same-reasons
nodes n[1-2] cpus=8 memory=8000 gpus=4

story: Memory that comes with GPUs counts as all that a node has
set jobs.def_mem_per_gpu=1000 jobs.max_mem_per_node=2500
0:01  ann submits B gpus=2 limit=10:00              => B waits MaxMemPerLimit
0:02  ann submits C gpus=3 nodes=2 limit=10:00      => C waits MaxMemPerLimit
0:03  ann submits D gpus=2 mem=2000 limit=10:00     => D starts
0:04  ann submits E limit=10:00                     => E waits MaxMemPerLimit
0:05  ann submits F mem=0 limit=10:00               => F waits MaxMemPerLimit

story: A bound that no node passes stops none of them
set jobs.def_mem_per_gpu=1000 jobs.max_mem_per_node=8000
0:01  ann submits B gpus=2 limit=10:00              => B starts
0:02  ann submits F mem=0 limit=10:00               => F starts

story: With a default for CPUs it is that which is held against the bound
set jobs.def_mem_per_cpu=100 jobs.def_mem_per_gpu=1000 jobs.max_mem_per_node=2500
0:01  ann submits B gpus=3 limit=10:00              => B starts
0:02  ann submits C gpus=2 cpus=4 limit=10:00       => C starts

story: Such a job is refused where limits of partitions refuse
set jobs.enforce_part_limits=all
partition p nodes=all max_mem_per_node=2500
0:01  ann submits B gpus=2 limit=10:00 -- --mem-per-gpu=100  => B starts
0:02  ann submits F mem=0 limit=10:00               => F is refused "Memory"

story: Memory per CPU counts for the CPUs on each of as many nodes as the job may have
set jobs.max_mem_per_node=300 jobs.def_mem_per_cpu=10
nodes m[1-2] cpus=8 memory=8000
0:01  ann submits B tasks=4 limit=10:00 -- --mem-per-cpu=150                          => B starts
0:02  ann submits C nodes=1-2 tasks=4 limit=10:00 -- --mem-per-cpu=150                => C starts
0:03  ann submits D nodes=1 tasks=3 limit=10:00 -- --mem-per-cpu=150                  => D waits MaxMemPerLimit
0:04  ann submits E tasks=2 cpus=3 limit=10:00 -- --mem-per-cpu=150                   => E waits MaxMemPerLimit
0:05  ann submits F tasks=4 tasks-per-node=2 limit=10:00 -- --mem-per-cpu=150         => F starts
0:06  ann submits G limit=10:00 -- --mem-per-cpu=150 --mincpus=4                      => G waits MaxMemPerLimit
0:07  ann submits H exclusive limit=10:00 -- --mem-per-cpu=150                        => H waits MaxMemPerLimit
