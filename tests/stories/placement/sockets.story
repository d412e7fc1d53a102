# CR_Socket: jobs get whole sockets.

nodes n[1-2] cpus=8 sockets=2 memory=16G
set scheduler.cpu_unit=socket
tags: same-reasons, same-nodes

story: One task gets a socket, more tasks as many as they need
0:00  ann submits A tasks=1 limit=10:00                 => A starts on n1, A holds 4 cpus
0:10  ann submits B tasks=2 cpus=2 limit=10:00          => B starts on n1, B holds 4 cpus
0:20  ann submits C tasks=5 limit=10:00                 => C starts on n2, C holds 8 cpus
0:30  ann submits D tasks=1 limit=10:00                 => D waits Resources, expected 10:20
0:40  A ends                                            => D starts on n1

story: Memory per CPU counts for all CPUs of the sockets
0:00  ann submits A tasks=1 limit=10:00 mem-per-cpu=1G     => A holds 4 cpus, A holds 4G memory of n1
0:10  ann submits B tasks=1 limit=10:00 mem-per-cpu=3500M  => B starts on n2

story: Sockets that are asked for must be free
0:00  ann submits A tasks=1 limit=10:00                        => A starts on n1
0:10  ann submits B nodes=1 tasks=1 limit=10:00 nodelist=n2    => B starts on n2
0:20  ann submits C tasks=2 limit=10:00 -- --sockets-per-node=2  => C waits Resources
0:30  ann submits D tasks=2 limit=10:00 -- --ntasks-per-socket=1 => D waits Priority
0:50  A ends                                                   => C starts on n1, C holds 8 cpus
1:00  B ends                                                   => D starts on n2, D holds 8 cpus

story: Tasks over two nodes
0:00  ann submits A nodes=2 tasks=10 limit=10:00        => A starts on n[1-2], A holds 16 cpus
0:10  ann submits B tasks=4 limit=10:00                 => B waits Resources, expected 10:00

story: Tasks are dealt out over the free sockets
nodes n3 cpus=16 sockets=4
nodes n4 cpus=16 sockets=2 threads_per_core=2
0:00  ann submits A tasks=3 limit=10:00 nodelist=n3         => A holds 12 cpus
0:10  ann submits B tasks=3 limit=10:00 nodelist=n3         => B holds 4 cpus
0:20  ann submits C tasks=2 limit=10:00 nodelist=n4         => C holds 8 cpus
0:30  root cancels A
0:31  root cancels B
0:40  ann submits D tasks=2 cpus=3 limit=10:00 nodelist=n3  => D holds 8 cpus
0:50  root cancels D
1:00  ann submits E tasks=2 cpus=5 limit=10:00 nodelist=n3  => E holds 16 cpus

story: SelectTypeParameters of a partition
nodes n[3-4] cpus=8 sockets=2
set scheduler.cpu_unit=core
partition p nodes=n[1-2] default=yes cpu_unit=socket
partition o nodes=n[3-4]
0:00  ann submits A tasks=1 limit=10:00                 => A holds 4 cpus
0:10  ann submits B tasks=1 limit=10:00 partition=o     => B starts on n3, B holds 1 cpus
0:20  ann submits C tasks=5 limit=10:00                 => C starts on n2, C holds 8 cpus
0:30  ann submits D tasks=5 limit=10:00 partition=o     => D starts on n3, D holds 5 cpus
0:40  ann submits E tasks=5 limit=10:00                 => E waits Resources
