# Cores, threads and sockets; CPUs that every node must have.

nodes n[1-3] cpus=4
nodes n[4-6] cpus=8 sockets=2
nodes n[7-8] cpus=8 threads_per_core=2
tags: same-nodes

story: Tasks on one thread of a core take the whole core, and memory for the threads they use
0:00  ann submits A tasks=3 nodelist=n7 limit=10:00                     => A starts on n7, A holds 4 cpus
0:10  bob submits B tasks=2 nodelist=n7 threads-per-core=1 limit=10:00  => B starts on n7, B holds 4 cpus, B holds 20M memory of n7
0:20  cat submits C tasks=5 nodelist=n8 threads-per-core=1 limit=10:00  => C starts

story: --ntasks-per-core
0:00  ann submits A tasks=2 nodelist=n7 tasks-per-core=1 limit=10:00    => A starts on n7, A holds 4 cpus, A holds 40M memory of n7
0:10  bob submits B tasks=2 nodelist=n7 tasks-per-core=2 limit=10:00    => B starts on n7, B holds 2 cpus

story: Nodes with so many threads, sockets and cores
0:00  ann submits A threads-per-core=2 limit=10:00                      => A starts on n7
0:10  bob submits B sockets-per-node=2 limit=10:00                      => B starts on n4
0:30  dan submits D threads-per-core=4 limit=10:00                      => D is refused "Requested node configuration is not available"
0:40  eve submits E cores-per-socket=8 limit=10:00                      => E is refused "Requested node configuration is not available"

story: --ntasks-per-socket
0:00  ann submits A tasks=2 tasks-per-socket=1 limit=10:00              => A starts on n4
0:10  bob submits B nodes=1 tasks=4 tasks-per-socket=2 limit=10:00      => B starts on n4
0:20  cat submits C tasks=3 tasks-per-socket=2 limit=10:00              => C starts

story: --mincpus is what every node gives
0:00  ann submits A tasks=1 mincpus=4 limit=10:00                       => A starts on n1, A holds 4 cpus, A holds 40M memory of n1
0:10  bob submits B tasks=1 mincpus=8 limit=10:00                       => B starts on n4, B holds 8 cpus
0:20  cat submits C nodes=2 tasks=4 mincpus=3 limit=10:00               => C starts on n[2-3], C holds 6 cpus
0:30  dan submits D tasks=2 mincpus=20 limit=10:00                      => D is refused "Requested node configuration is not available"

story: --overcommit asks for a CPU a node, whatever the tasks
0:00  ann submits A tasks=6 overcommit limit=10:00                      => A starts on n1, A holds 1 cpus
0:10  bob submits B nodes=2 tasks=6 overcommit limit=10:00              => B starts, B holds 2 cpus
0:20  cat submits C tasks=4 cpus=2 overcommit limit=10:00               => C starts, C holds 2 cpus

story: --mincpus of a job with GPUs is free on its nodes, and it gets the CPUs of its tasks
nodes g[1-2] cpus=4 gpus=2
partition gpu nodes=g[1-2] default=yes
0:00  ann submits A tasks=1 gres=gpu:1 mincpus=2 limit=10:00            => A starts on g1, A holds 1 cpus
0:10  bob submits B tasks=2 gres=gpu:1 mincpus=4 nodes=1 limit=10:00    => B starts on g2, B holds 2 cpus
0:20  cat submits C tasks=1 gres=gpu:1 mincpus=2 limit=10:00            => C starts on g1, C holds 1 cpus
