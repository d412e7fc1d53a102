# Only an operator may suspend a job: the owner is denied.
nodes n1 cpus=4
0:00  ann submits A limit=10:00   => A starts
0:30  ann suspends A              => refused "denied", A runs
