# Options that say which of the nodes with room a job gets.

nodes n[1-3] cpus=4 features=a
nodes n[4-6] cpus=8 features=b
nodes n[7-8] cpus=8 features=b,c
tags: same-nodes

story: --use-min-nodes leaves tasks on as many nodes as they were asked for
0:00  ann submits A nodes=2-4 tasks=8 limit=10:00                => A starts on n[1-4]
0:10  bob submits B nodes=2-4 tasks=8 use-min-nodes limit=10:00  => B starts on n[1-4]

story: --spread-job takes as many nodes as there are tasks
0:00  ann submits A tasks=6 spread-job limit=10:00               => A starts on n[1-6]
0:10  bob submits B tasks=3 spread-job constraint=b limit=10:00  => B starts on n[4-6]
0:20  cat submits C tasks=6 spread-job nodes=2-3 limit=10:00     => C starts on n[1-3]
0:30  dan submits D tasks=12 spread-job limit=10:00              => D starts on n[2-8]

story: --spread-job with named nodes
0:00  ann submits A tasks=6 spread-job nodelist=n7 limit=10:00   => A starts on n[1-5,7]

story: --contiguous takes nodes that follow each other, whatever they weigh
nodes m[1-2] cpus=4 weight=1
nodes m3 cpus=4 weight=9
nodes m[4-5] cpus=4 weight=1
partition all nodes=m[1-5] Default=YES
0:00  ann submits A nodes=1 cpus=4 nodelist=m2 limit=10:00         => A starts on m2
0:10  bob submits B nodes=3 tasks=3 contiguous limit=10:00         => B starts on m[3-5]
0:20  cat submits C nodes=2 tasks=8 contiguous limit=10:00         => C waits Resources, expected 10:10
0:30  dan submits D nodes=1 tasks=1 limit=5:00                     => D starts on m1

story: --contiguous with nodes left out, and with gaps between named nodes
0:00  ann submits A nodes=3 tasks=3 exclude=n2 contiguous limit=10:00  => A starts on n[3-5]
0:10  bob submits B nodes=2 tasks=2 nodelist=n1,n3 contiguous limit=10:00  => B is refused "Node count specification invalid"
0:20  cat submits C nodelist=n1,n3 contiguous limit=10:00              => C starts on n[1-3]

story: So many nodes with a feature
0:00  ann submits A nodes=3 constraint=[a*2&b*1] limit=10:00   => A starts on n[1-2,4]
0:10  bob submits B constraint=[b*1&c*2] limit=10:00           => B starts on n[4,7-8]
0:20  cat submits C constraint=c*2 limit=10:00                 => C starts on n[7-8]
0:30  dan submits D nodes=4 constraint=a*2 limit=10:00         => D starts on n[1-4]

story: Tasks beside nodes that are counted
0:00  ann submits A tasks=8 constraint=[a*1&b*1] limit=10:00       => A starts on n[1,4]
0:10  bob submits B tasks=20 constraint=[a*1&b*1] limit=10:00      => B starts

story: Nodes that are counted but not there
0:00  ann submits A constraint=a*5 limit=10:00                     => A is refused "Requested node configuration is not available"
0:10  bob submits B nodes=1 constraint=[a*1&b*1] limit=10:00       => B is refused "Requested node configuration is not available"
0:20  cat submits C nodes=1-2 constraint=a*3 limit=10:00           => C is refused "Requested node configuration is not available"
0:30  dan submits D constraint=[c*2&(b&c)*1] limit=10:00           => D is refused "Requested node configuration is not available"

story: Nodes that are counted but busy
0:00  ann submits A nodes=2 cpus=4 nodelist=n[1-2] limit=10:00     => A starts
0:10  bob submits B constraint=[a*2&b*1] limit=10:00               => B waits Resources, expected 10:00
0:20  cat submits C tasks=4 nodes=1 limit=5:00                     => C starts on n3
