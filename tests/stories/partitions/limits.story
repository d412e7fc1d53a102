# Limits of partitions.
nodes n[1-3] cpus=4

story: A job that asks for more time than the partition gives waits
partition p nodes=all max_time=1h
0:00  ann submits A limit=2:00:00        => A waits PartitionTimeLimit
0:01  ann updates A limit=1:00:00        => A starts

story: With enforce_part_limits it is refused
partition p nodes=all max_time=1h
set jobs.enforce_part_limits=all
0:00  ann submits A limit=2:00:00        => A is refused "Requested time limit is invalid"

story: A job that asks for more nodes than the partition gives waits
partition p nodes=all max_nodes=2
0:00  ann submits A nodes=3 limit=10:00  => A waits PartitionNodeLimit
0:01  ann submits B nodes=2 limit=10:00  => B starts

story: A job without a limit gets the partition's default
partition p nodes=all default_time=5 max_time=1h
0:00  ann submits A                      => A starts
5:00                                     => A ends TIMEOUT

story: A partition that is down starts nothing but takes jobs
partition p nodes=all state=down
0:00  ann submits A limit=10:00          => A waits PartitionDown
1:00  policy sets partitions.p.state=up  => A starts

story: A partition that is inactive takes no jobs
partition p nodes=all state=inactive
0:00  ann submits A limit=10:00          => A is refused "Required partition not available (inactive or drain)"

story: A drained partition takes no new jobs
partition p nodes=all
0:00  ann submits A limit=10:00          => A starts
0:01  policy sets partitions.p.state=drain  => A runs
0:02  ann submits B limit=10:00          => B is refused "Required partition not available (inactive or drain)"

story: a job without a time limit waits for a partition that has none
partition main nodes=all default=yes max_time=1h default_time=10
partition long nodes=all
0:00  ann submits A -- --time=0                          => A waits PartitionTimeLimit
0:01  ann submits B partition=long -- --time=UNLIMITED   => B starts
2:00:00                                                  => B runs

story: PartitionTimeLimit lets a QoS go beyond the partition's time
partition p nodes=all max_time=1h
qos long MaxWall=1d Flags=PartitionTimeLimit
0:00  ann submits A limit=2:00:00 qos=long   => A starts
0:01  ann submits B limit=2:00:00            => B waits PartitionTimeLimit

story: A job may name several partitions and starts in the first that has room
partition one nodes=n1 default=yes
partition two nodes=n2
0:00  ann submits X cpus=4 limit=10:00                 => X starts on n1
0:01  ann submits A partition=one,two cpus=4 limit=5:00  => A starts on n2

story: More CPUs than the whole partition has
partition p nodes=all
0:00  ann submits A tasks=13 limit=10:00  => A waits PartitionConfig

story: More memory than the partition gives a node
partition p nodes=all max_mem_per_node=500
0:00  ann submits A mem=600 limit=10:00   => A waits MaxMemPerLimit

story: More nodes than the partition has
partition one nodes=n1 default=yes
partition rest nodes=n[2-3]
0:00  ann submits A nodes=2 limit=10:00   => A waits PartitionNodeLimit
