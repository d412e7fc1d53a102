# topology/tree: a job is on as few leaf switches as it can.

tags: same-nodes

story: a job of several nodes goes to one leaf switch that has room for it
nodes n[1-6] cpus=4
switch a nodes=n[1-2]
switch b nodes=n[3-6]
switch top switches=a,b
0:00  ann submits A nodes=3 tasks=12 limit=10:00      => A starts on n[3-5]
0:10  bob submits B nodes=2 tasks=8 limit=10:00       => B starts on n[1-2]
0:20  cat submits C nodes=1 limit=10:00               => C starts on n6

story: of leaf switches that have room the one with the fewest nodes left
nodes n[1-7] cpus=4
switch a nodes=n[1-4]
switch b nodes=n[5-7]
switch top switches=a,b
0:00  ann submits A nodes=1 cpus=4 limit=10:00        => A starts on n5
0:10  bob submits B nodes=2 tasks=8 limit=10:00       => B starts on n[6-7]
0:20  cat submits C nodes=1 cpus=2 limit=10:00        => C starts on n1
0:30  dan submits D nodes=1 cpus=4 limit=10:00        => D starts on n2

story: a job that is too large for any leaf takes the largest first
nodes n[1-7] cpus=4
switch a nodes=n[1-3]
switch b nodes=n[4-7]
switch top switches=a,b
0:00  ann submits A nodes=5 tasks=20 limit=10:00      => A starts on n[1,4-7]

story: where it takes several leaf switches, those that are near each other
nodes n[1-8] cpus=4
switch a nodes=n[1-2]
switch b nodes=n[3-4]
switch c nodes=n[5-6]
switch d nodes=n[7-8]
switch left switches=a,c
switch right switches=b,d
switch top switches=left,right
0:00  ann submits A nodes=1 cpus=4 limit=10:00        => A starts on n1
0:10  bob submits B nodes=3 tasks=12 limit=10:00      => B starts on n[2,5-6]

story: beside nodes that it names a job takes others of the same switch
nodes n[1-6] cpus=4
switch a nodes=n[1-3]
switch b nodes=n[4-6]
switch top switches=a,b
0:00  ann submits A nodes=2 nodelist=n5 limit=10:00   => A starts on n[4-5]
0:10  bob submits B nodes=3 nodelist=n2 tasks=12 limit=10:00  => B starts on n[1-3]

story: lighter nodes come before fewer switches
nodes n[1-2] cpus=4 weight=5
nodes n[3-4] cpus=4 weight=1
nodes n[5-6] cpus=4 weight=5
switch a nodes=n[1-3]
switch b nodes=n[4-6]
switch top switches=a,b
0:00  ann submits A nodes=3 tasks=12 limit=10:00      => A starts on n[1,3-4]

story: switches that no switch joins are apart
nodes n[1-5] cpus=4
switch a nodes=n[1-2]
switch b nodes=n[3-5]
0:00  ann submits A nodes=3 tasks=12 limit=10:00      => A starts on n[3-5]
0:10  bob submits B nodes=3 tasks=12 limit=10:00      => B waits Resources
0:20  cat submits C nodes=2 limit=5:00                => C starts on n[1-2]
0:30  dan submits D nodes=4 limit=5:00                => D is refused "Requested node configuration is not available"

story: a job of one node goes to the leaf switch with the fewest nodes that have room
nodes n[1-2] cpus=2
nodes n[3-4] cpus=8
nodes n5 cpus=4
switch a nodes=n[1-3]
switch b nodes=n[4-5]
switch top switches=a,b
0:00  ann submits A cpus=4 limit=10:00                => A starts on n3
0:10  bob submits B cpus=2 limit=10:00                => B starts on n4

story: --switches waits for so few
nodes n[1-6] cpus=4
switch a nodes=n[1-3]
switch b nodes=n[4-6]
switch top switches=a,b
0:00  ann submits A nodes=1 cpus=4 limit=3:00         => A starts on n1
0:01  ann submits B nodes=1 nodelist=n4 cpus=4 limit=10:00  => B starts on n4
0:10  bob submits C nodes=3 tasks=12 switches=1@10:00 limit=10:00  => C waits Resources
0:20  cat submits D nodes=3 tasks=12 limit=1:00       => D starts on n[2-3,5]
4:00                                                  => C runs on n[1-3]

story: --switches waits no longer than it says
nodes n[1-6] cpus=4
switch a nodes=n[1-3]
switch b nodes=n[4-6]
switch top switches=a,b
0:00  ann submits A nodes=1 cpus=4 limit=30:00        => A starts on n1
0:01  ann submits B nodes=1 nodelist=n4 cpus=4 limit=30:00  => B starts on n4
0:10  bob submits C nodes=3 tasks=12 switches=1@2:00 limit=10:00  => C waits Resources
1:50                                                  => C waits Resources
2:20                                                  => C runs on n[2-3,5]

story: max_switch_wait bounds every such wait
nodes n[1-6] cpus=4
switch a nodes=n[1-3]
switch b nodes=n[4-6]
switch top switches=a,b
set scheduler.max_switch_wait=60s
0:00  ann submits A nodes=1 cpus=4 limit=30:00        => A starts on n1
0:01  ann submits B nodes=1 nodelist=n4 cpus=4 limit=30:00  => B starts on n4
0:10  bob submits C nodes=3 tasks=12 switches=1@2:00 limit=10:00  => C waits Resources
0:20  cat submits D nodes=3 tasks=12 switches=1 limit=10:00  => D waits Priority
1:20                                                  => C runs on n[2-3,5]

story: TopoOptional: switches count only for jobs that say --switches
nodes n[1-5] cpus=4
switch a nodes=n[1-2]
switch b nodes=n[3-5]
switch top switches=a,b
set scheduler.topology_optional=yes
0:00  ann submits A nodes=3 tasks=12 limit=10:00      => A starts on n[1-3]
1:00  root cancels A                                  => A ends CANCELLED
2:00  ann submits B nodes=3 tasks=12 switches=1 limit=10:00  => B starts on n[3-5]

story: --contiguous goes by names and not by switches
nodes n[1-5] cpus=4
switch a nodes=n[1-2]
switch b nodes=n[3-5]
switch top switches=a,b
0:00  ann submits A nodes=3 contiguous limit=10:00    => A starts on n[1-3]
