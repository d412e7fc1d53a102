# Jobs of several nodes.

story: A job of two nodes waits until both are free
nodes n[1-3] cpus=4
0:00  ann submits A nodes=2 cpus=4 limit=10:00  => A starts on n[1-2]
0:01  bob submits B nodes=2 cpus=4 limit=10:00  => B waits Resources, expected 10:00
0:02  ann cancels A                             => B starts

story: Tasks are spread over the nodes asked for
nodes n[1-2] cpus=4
0:00  ann submits A nodes=2 tasks=6 limit=10:00  => A starts on n[1-2], A holds 6 cpus

story: A job that could never fit is refused
nodes n[1-2] cpus=4
0:01  ann submits B cpus=5 limit=10:00           => B is refused "Requested node configuration is not available"
0:02  ann submits C mem=17G limit=10:00          => C is refused "Requested node configuration is not available"

story: Tasks fill one node after the other
nodes n[1-3] cpus=4
0:00  ann submits A tasks=8 limit=10:00          => A starts on n[1-2], n3 has 4 cpus free
