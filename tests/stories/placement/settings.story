# Settings of slurm.conf that say which of the nodes with room come first.

tags: same-nodes

story: CR_LLN: the node with the largest part of its CPUs free
nodes n[1-2] cpus=4
nodes n3 cpus=8
set scheduler.least_loaded=yes
0:00  ann submits A cpus=2 limit=10:00                => A starts on n1
0:10  bob submits B cpus=4 limit=10:00                => B starts on n2
0:20  cat submits C cpus=1 limit=10:00                => C starts on n3
0:30  dan submits D cpus=1 limit=10:00                => D starts on n3

story: LLN of a partition alone
nodes n[1-2] cpus=4
nodes n3 cpus=8
partition main nodes=n[1-3] Default=YES
partition side nodes=n[1-3] LLN=YES
0:00  ann submits A cpus=2 limit=10:00                  => A starts on n1
0:10  bob submits B cpus=2 partition=side limit=10:00   => B starts on n2
0:20  cat submits C cpus=1 limit=10:00                  => C starts on n1

story: CR_LLN where nodes weigh differently
nodes n[1-2] cpus=4 weight=1
nodes n3 cpus=8 weight=5
set scheduler.least_loaded=yes
0:00  ann submits A cpus=2 limit=10:00                => A starts on n1
0:10  bob submits B cpus=2 limit=10:00                => B starts on n2
0:20  cat submits C cpus=4 limit=10:00                => C starts on n3

story: pack_serial_at_end: jobs of one CPU begin with the last node
nodes n[1-3] cpus=2
set scheduler.pack_serial_at_end=yes
0:00  ann submits A limit=10:00                       => A starts on n3
0:10  bob submits B limit=10:00                       => B starts on n3
0:20  cat submits C cpus=2 limit=10:00                => C starts on n1
0:30  dan submits D limit=10:00                       => D starts on n2

story: CR_Pack_Nodes: tasks fill one node after the other
nodes n[1-2] cpus=4
set scheduler.pack_nodes=yes
0:00  ann submits A nodes=2 tasks=5 limit=10:00       => A starts on n[1-2], n1 has 0 cpus free, n2 has 3 cpus free

story: Without it each node gives what it has, too
nodes n[1-2] cpus=4
0:00  ann submits A nodes=2 tasks=5 limit=10:00       => A starts on n[1-2], n1 has 0 cpus free, n2 has 3 cpus free
