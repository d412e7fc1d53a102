# DefMemPerCPU=0: a job that asks for no memory holds none, and a bound on memory is none for it.
tags: same-nodes
nodes n1 cpus=8 memory=4000
partition main nodes=n1 default=yes def_mem_per_cpu=0 max_mem_per_node=800M

story: It holds no memory, and others have theirs beside it
0:00   ann submits A cpus=2 limit=10:00                          => A starts
0:01   ann submits B cpus=2 limit=10:00 mem=700                  => B starts
0:02   ann submits C cpus=1 limit=10:00 mem=900                  => C waits MaxMemPerLimit
