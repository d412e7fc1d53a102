# Which nodes a job gets.

story: Nodes of lower weight are used first
nodes n1 cpus=4 weight=10
nodes n2 cpus=4 weight=1
0:00  ann submits A limit=10:00                  => A starts on n2
0:01  ann submits B cpus=4 limit=10:00           => B starts on n1

story: Features
nodes n1 cpus=4 features=intel,slow
nodes n2 cpus=4 features=amd,fast
0:00  ann submits A constraint=fast limit=10:00        => A starts on n2
0:01  ann submits B constraint=intel&slow limit=10:00  => B starts on n1
0:02  ann submits C constraint=fast cpus=4 limit=10:00 => C waits Resources
0:03  ann submits D constraint=intel|amd limit=9:00    => D starts
0:04  ann submits E constraint=green limit=10:00       => E is refused "Invalid feature specification"

story: Nodes asked for and nodes left out
nodes n[1-3] cpus=4
0:00  ann submits A nodelist=n3 limit=10:00      => A starts on n3
0:01  ann submits B exclude=n[1-2] limit=10:00   => B starts on n3
0:02  ann submits C exclude=n1 cpus=4 limit=10:00  => C starts on n2

story: An exclusive job has its nodes for itself
nodes n[1-2] cpus=4
0:00  ann submits A limit=10:00                  => A starts on n1
0:01  ann submits B exclusive limit=10:00        => B starts on n2, n2 has 0 cpus free
0:02  ann submits C exclusive limit=10:00        => C waits Resources
0:03  ann submits D cpus=1 limit=9:00            => D starts on n1

story: A partition can make every job exclusive
nodes n1 cpus=4
partition p nodes=n1 oversubscribe=exclusive
0:00  ann submits A limit=10:00                  => A starts, n1 has 0 cpus free
0:01  ann submits B limit=10:00                  => B waits Resources
