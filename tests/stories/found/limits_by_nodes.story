# Limits on nodes, and on each of them, count the nodes that a job would get.

tags: same-reasons, same-nodes

story: A limit on each node, of a job that needs two nodes
nodes n[1-2] cpus=12
account team users=ann,bob MaxTRESPerNode=cpu=13
0:00  ann submits A tasks=12 nodes=1 limit=10:00        => A starts on n1
0:10  bob submits B tasks=14 nodelist=n1 limit=30:00    => B waits Resources

story: Nothing is kept for a job that a limit stops on the nodes of its plan
nodes n1 cpus=4 memory=16000
nodes n[2-4] cpus=4 memory=8000
nodes n[5-6] cpus=6 memory=16000
partition main nodes=n[1-6] Default=YES
partition side nodes=n1,n2,n4 PriorityTier=5
account team users=ann,bob
user ann account=team GrpTRES=node=3
0:00  bob submits A limit=10:00 tasks=1 cpus-per-task=3 nodes=1 exclude=n4 partition=main,side array=0-2
0:10  bob submits B limit=10:00 tasks=7 nodes=3 mem=1000 partition=side   => B waits Resources
0:20  ann submits C limit=30:00 tasks=6 mem-per-cpu=100 partition=main    => C starts on n5
0:30  ann submits D limit=10:00 tasks=6 partition=side                    => D waits AssocGrpNodeLimit
0:40  ann submits E limit=30:00 tasks=2

story: Memory on each node counts for all of them
nodes n[1-3] cpus=4 memory=4000
account team users=ann,bob GrpTRES=mem=5000
0:00  bob submits A tasks=4 nodes=1 mem=100 limit=10:00     => A starts on n1
0:10  bob submits B tasks=4 nodes=1 mem=100 limit=10:00     => B starts on n2
0:20  ann submits C tasks=8 mem=2000 limit=10:00            => C is pending
0:30  ann submits D tasks=8 mem=3000 limit=10:00            => D is pending

story: A job that no node could hold is refused although a limit on nodes would keep it waiting
nodes n[1-3] cpus=4 memory=2000
account team users=ann GrpTRES=node=2
0:00  ann submits A nodes=3 mem=7000 limit=10:00            => A is refused "Requested node configuration is not available"
0:10  ann submits B nodes=3 mem=1000 limit=10:00            => B waits AssocGrpNodeLimit

story: What a job would be given now decides which limit is said
nodes n[1-2] cpus=4
nodes n3 cpus=16
qos q MaxTRESPerAccount=cpu=6 MaxTRESPerNode=cpu=11
qos normal
account team users=ann,bob qos=q,normal
0:00  bob submits A tasks=11 qos=q exclusive limit=30:00    => A waits QOSMaxCpuPerNode
