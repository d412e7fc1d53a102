# Memory is counted like CPUs.
nodes n1 cpus=8 memory=10000

story: Memory per node
0:00  ann submits A mem=6000 limit=10:00         => A starts, n1 has 4000 memory free
0:01  ann submits B mem=5000 limit=10:00         => B waits Resources
0:02  ann submits C mem=4000 limit=9:00          => C starts

story: Memory per CPU
0:00  ann submits A cpus=4 mem-per-cpu=2000 limit=10:00  => A starts, A holds 8000 memory
0:01  ann submits B cpus=2 mem-per-cpu=2000 limit=10:00  => B waits Resources

story: All of a node's memory
0:00  ann submits A mem=0 limit=10:00            => A starts, A holds 10000 memory
0:01  ann submits B mem=1 limit=10:00            => B waits Resources

story: Without a default a job gets the whole node's memory
set jobs.memory_is_consumable=yes
0:00  ann submits A limit=10:00                  => A starts, n1 has 0 memory free
0:01  ann submits B limit=10:00                  => B waits Resources

story: With a bound per CPU, all of a node's memory brings its CPUs
tags: same-reasons
nodes n[2-3] cpus=4 memory=3000
partition bound nodes=n[2-3] max_mem_per_cpu=1500M
partition tight nodes=n[2-3] max_mem_per_cpu=500M
0:00  ann submits A partition=bound mem=0 limit=10:00    => A starts, A holds 2 cpus
0:01  ann submits B partition=tight mem=0 limit=10:00    => B is refused "Requested node configuration is not available"
