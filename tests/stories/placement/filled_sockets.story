tags: same-reasons, same-nodes

story: Whole tasks fill one socket after the other, and single CPUs go round them
nodes n[1-9] cpus=16 sockets=4
nodes m[1-6] cpus=16 sockets=2
set scheduler.cpu_unit=socket
0:00  ann submits A tasks=2 cpus=2 limit=10:00 nodelist=n1  => A holds 4 cpus
0:00  ann submits B tasks=1 cpus=5 limit=10:00 nodelist=n2  => B holds 16 cpus
0:00  ann submits C tasks=3 cpus=3 limit=10:00 nodelist=n3  => C holds 12 cpus
0:00  ann submits D tasks=4 cpus=2 limit=10:00 nodelist=n4  => D holds 8 cpus
0:00  ann submits E tasks=1 limit=10:00 mincpus=3 nodelist=n5  => E holds 12 cpus
0:00  ann submits F tasks=3 limit=10:00 nodelist=n6 -- --ntasks-per-socket=2  => F holds 8 cpus
0:00  ann submits G tasks=2 cpus=2 limit=10:00 nodelist=n7 -- --ntasks-per-socket=1  => G holds 8 cpus
0:00  ann submits H tasks=1 cpus=3 mincpus=6 limit=10:00 nodelist=n8  => H holds 8 cpus
0:00  ann submits I tasks=3 cpus=4 limit=10:00 nodelist=n9  => I holds 12 cpus
0:00  ann submits J tasks=3 cpus=3 limit=10:00 nodelist=m1  => J holds 16 cpus
0:00  ann submits K tasks=1 cpus=6 limit=10:00 nodelist=m2  => K holds 8 cpus
0:00  ann submits L tasks=2 cpus=3 limit=10:00 nodelist=m3  => L holds 8 cpus
0:00  ann submits M tasks=1 cpus=9 limit=10:00 nodelist=m4  => M holds 16 cpus
0:00  ann submits O nodes=2 tasks=4 cpus=2 limit=10:00 nodelist=m[5-6]  => O holds 16 cpus
