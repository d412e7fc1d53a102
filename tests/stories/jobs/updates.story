# Changes of waiting jobs: each lets a job start that could not.
nodes n[1-2] cpus=4 memory=4000
partition main nodes=n[1-2] Default=YES
partition small nodes=n1 max_time=5

story: Another account
account poor users=ann GrpTRES=cpu=0
account rich users=ann
user ann account=poor default_account=poor
0:00  ann submits A account=poor limit=10:00           => A waits AssocGrpCpuLimit
0:10  ann updates A account=rich                       => A runs

story: Another partition
0:00  ann submits A partition=small limit=10:00        => A waits PartitionTimeLimit
0:10  ann updates A partition=main                     => A runs

story: Less memory
0:00  bob submits X nodes=2 mem=3000 limit=60:00       => X starts
0:01  ann submits A mem=2000 limit=10:00               => A waits Resources
0:10  ann updates A mem=500                            => A runs

story: Less time
0:00  ann submits A partition=small limit=10:00        => A waits PartitionTimeLimit
0:10  ann updates A limit=5:00                         => A runs

story: Of a running job only what its wait was about can be changed, and nothing happens
qos q
0:00  ann submits A limit=10:00                        => A starts
0:01  root updates A nice=50                           => A runs
0:02  ann holds A                                      => A runs
0:03  ann releases A                                   => A runs
0:04  root updates A qos=q                             => A is refused "no longer pending", A runs
0:05  root updates A partition=small                   => A is refused "no longer pending", A runs

story: A limit that was cut below what a suspended job has run ends it when it resumes
0:00  ann submits A limit=20:00                => A starts
5:00  root suspends A                          => A is suspended
6:00  ann updates A limit=3:00                 => A is suspended
8:00  root resumes A                           => A ends TIMEOUT
