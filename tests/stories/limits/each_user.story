# Limits on one user or one account inside a QoS: …PerUser, …PerAccount; MaxJobs and MaxSubmitJobs.
nodes n[1-2] cpus=16 memory=10000 gpus=4
account team users=ann,bob

story: MaxTRESPerUser cpu of the QoS
qos q MaxTRESPerUser=cpu=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits QOSMaxCpuPerUserLimit
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSMaxCpuPerUserLimit
0:03  B ends                                                  => C starts

story: MaxTRESPerUser cpu of the QoS with DenyOnLimit
qos q MaxTRESPerUser=cpu=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused QOSMaxCpuPerUserLimit
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSMaxCpuPerUserLimit
0:03  B ends                                                  => C starts

story: MaxTRESPerUser cpu of the partition QoS
qos pq MaxTRESPerUser=cpu=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits QOSMaxCpuPerUserLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSMaxCpuPerUserLimit
0:03  B ends                                                  => C starts

story: MaxTRESPerUser cpu of the partition QoS with DenyOnLimit
qos pq MaxTRESPerUser=cpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused QOSMaxCpuPerUserLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSMaxCpuPerUserLimit
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount cpu of the QoS
qos q MaxTRESPerAccount=cpu=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits MaxCpuPerAccount
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits MaxCpuPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount cpu of the QoS with DenyOnLimit
qos q MaxTRESPerAccount=cpu=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused MaxCpuPerAccount
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits MaxCpuPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount cpu of the partition QoS
qos pq MaxTRESPerAccount=cpu=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits MaxCpuPerAccount
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits MaxCpuPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount cpu of the partition QoS with DenyOnLimit
qos pq MaxTRESPerAccount=cpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused MaxCpuPerAccount
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits MaxCpuPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerUser mem of the QoS
qos q MaxTRESPerUser=mem=1000
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A waits QOSMaxMemoryPerUser
0:01  ann submits B mem=800 limit=10:00 qos=q                 => B starts
0:02  ann submits C mem=800 limit=10:00 qos=q                 => C waits QOSMaxMemoryPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser mem of the QoS with DenyOnLimit
qos q MaxTRESPerUser=mem=1000 Flags=DenyOnLimit
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A is refused QOSMaxMemoryPerUser
0:01  ann submits B mem=800 limit=10:00 qos=q                 => B starts
0:02  ann submits C mem=800 limit=10:00 qos=q                 => C waits QOSMaxMemoryPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser mem of the partition QoS
qos pq MaxTRESPerUser=mem=1000
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A waits QOSMaxMemoryPerUser
0:01  ann submits B mem=800 limit=10:00                       => B starts
0:02  ann submits C mem=800 limit=10:00                       => C waits QOSMaxMemoryPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser mem of the partition QoS with DenyOnLimit
qos pq MaxTRESPerUser=mem=1000 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A is refused QOSMaxMemoryPerUser
0:01  ann submits B mem=800 limit=10:00                       => B starts
0:02  ann submits C mem=800 limit=10:00                       => C waits QOSMaxMemoryPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount mem of the QoS
qos q MaxTRESPerAccount=mem=1000
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A waits MaxMemoryPerAccount
0:01  ann submits B mem=800 limit=10:00 qos=q                 => B starts
0:02  ann submits C mem=800 limit=10:00 qos=q                 => C waits MaxMemoryPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount mem of the QoS with DenyOnLimit
qos q MaxTRESPerAccount=mem=1000 Flags=DenyOnLimit
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A is refused MaxMemoryPerAccount
0:01  ann submits B mem=800 limit=10:00 qos=q                 => B starts
0:02  ann submits C mem=800 limit=10:00 qos=q                 => C waits MaxMemoryPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount mem of the partition QoS
qos pq MaxTRESPerAccount=mem=1000
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A waits MaxMemoryPerAccount
0:01  ann submits B mem=800 limit=10:00                       => B starts
0:02  ann submits C mem=800 limit=10:00                       => C waits MaxMemoryPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount mem of the partition QoS with DenyOnLimit
qos pq MaxTRESPerAccount=mem=1000 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A is refused MaxMemoryPerAccount
0:01  ann submits B mem=800 limit=10:00                       => B starts
0:02  ann submits C mem=800 limit=10:00                       => C waits MaxMemoryPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerUser gres/gpu of the QoS
qos q MaxTRESPerUser=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A waits QOSMaxGRESPerUser
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts
0:02  ann submits C gres=gpu:1 limit=10:00 qos=q              => C waits QOSMaxGRESPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser gres/gpu of the QoS with DenyOnLimit
qos q MaxTRESPerUser=gres/gpu=2 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A is refused QOSMaxGRESPerUser
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts
0:02  ann submits C gres=gpu:1 limit=10:00 qos=q              => C waits QOSMaxGRESPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser gres/gpu of the partition QoS
qos pq MaxTRESPerUser=gres/gpu=2
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits QOSMaxGRESPerUser
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts
0:02  ann submits C gres=gpu:1 limit=10:00                    => C waits QOSMaxGRESPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser gres/gpu of the partition QoS with DenyOnLimit
qos pq MaxTRESPerUser=gres/gpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A is refused QOSMaxGRESPerUser
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts
0:02  ann submits C gres=gpu:1 limit=10:00                    => C waits QOSMaxGRESPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount gres/gpu of the QoS
qos q MaxTRESPerAccount=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A waits MaxGRESPerAccount
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts
0:02  ann submits C gres=gpu:1 limit=10:00 qos=q              => C waits MaxGRESPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount gres/gpu of the QoS with DenyOnLimit
qos q MaxTRESPerAccount=gres/gpu=2 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A is refused MaxGRESPerAccount
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts
0:02  ann submits C gres=gpu:1 limit=10:00 qos=q              => C waits MaxGRESPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount gres/gpu of the partition QoS
qos pq MaxTRESPerAccount=gres/gpu=2
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits MaxGRESPerAccount
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts
0:02  ann submits C gres=gpu:1 limit=10:00                    => C waits MaxGRESPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount gres/gpu of the partition QoS with DenyOnLimit
qos pq MaxTRESPerAccount=gres/gpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A is refused MaxGRESPerAccount
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts
0:02  ann submits C gres=gpu:1 limit=10:00                    => C waits MaxGRESPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerUser node of the QoS
qos q MaxTRESPerUser=node=1
0:00  ann submits A nodes=2 limit=10:00 qos=q                 => A waits QOSMaxNodePerUserLimit
0:01  ann submits B nodes=1 exclusive limit=10:00 qos=q       => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00 qos=q       => C waits QOSMaxNodePerUserLimit
0:03  B ends                                                  => C starts

story: MaxTRESPerUser node of the QoS with DenyOnLimit
qos q MaxTRESPerUser=node=1 Flags=DenyOnLimit
0:00  ann submits A nodes=2 limit=10:00 qos=q                 => A is refused QOSMaxNodePerUserLimit
0:01  ann submits B nodes=1 exclusive limit=10:00 qos=q       => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00 qos=q       => C waits QOSMaxNodePerUserLimit
0:03  B ends                                                  => C starts

story: MaxTRESPerUser node of the partition QoS
qos pq MaxTRESPerUser=node=1
partition main nodes=all qos=pq
0:00  ann submits A nodes=2 limit=10:00                       => A waits QOSMaxNodePerUserLimit
0:01  ann submits B nodes=1 exclusive limit=10:00             => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00             => C waits QOSMaxNodePerUserLimit
0:03  B ends                                                  => C starts

story: MaxTRESPerUser node of the partition QoS with DenyOnLimit
qos pq MaxTRESPerUser=node=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A nodes=2 limit=10:00                       => A is refused QOSMaxNodePerUserLimit
0:01  ann submits B nodes=1 exclusive limit=10:00             => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00             => C waits QOSMaxNodePerUserLimit
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount node of the QoS
qos q MaxTRESPerAccount=node=1
0:00  ann submits A nodes=2 limit=10:00 qos=q                 => A waits MaxNodePerAccount
0:01  ann submits B nodes=1 exclusive limit=10:00 qos=q       => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00 qos=q       => C waits MaxNodePerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount node of the QoS with DenyOnLimit
qos q MaxTRESPerAccount=node=1 Flags=DenyOnLimit
0:00  ann submits A nodes=2 limit=10:00 qos=q                 => A is refused MaxNodePerAccount
0:01  ann submits B nodes=1 exclusive limit=10:00 qos=q       => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00 qos=q       => C waits MaxNodePerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount node of the partition QoS
qos pq MaxTRESPerAccount=node=1
partition main nodes=all qos=pq
0:00  ann submits A nodes=2 limit=10:00                       => A waits MaxNodePerAccount
0:01  ann submits B nodes=1 exclusive limit=10:00             => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00             => C waits MaxNodePerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount node of the partition QoS with DenyOnLimit
qos pq MaxTRESPerAccount=node=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A nodes=2 limit=10:00                       => A is refused MaxNodePerAccount
0:01  ann submits B nodes=1 exclusive limit=10:00             => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00             => C waits MaxNodePerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerUser billing of the QoS
qos q MaxTRESPerUser=billing=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits QOSMaxBillingPerUser
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSMaxBillingPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser billing of the QoS with DenyOnLimit
qos q MaxTRESPerUser=billing=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused QOSMaxBillingPerUser
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSMaxBillingPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser billing of the partition QoS
qos pq MaxTRESPerUser=billing=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits QOSMaxBillingPerUser
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSMaxBillingPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerUser billing of the partition QoS with DenyOnLimit
qos pq MaxTRESPerUser=billing=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused QOSMaxBillingPerUser
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSMaxBillingPerUser
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount billing of the QoS
qos q MaxTRESPerAccount=billing=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits MaxBillingPerAccount
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits MaxBillingPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount billing of the QoS with DenyOnLimit
qos q MaxTRESPerAccount=billing=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused MaxBillingPerAccount
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits MaxBillingPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount billing of the partition QoS
qos pq MaxTRESPerAccount=billing=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits MaxBillingPerAccount
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits MaxBillingPerAccount
0:03  B ends                                                  => C starts

story: MaxTRESPerAccount billing of the partition QoS with DenyOnLimit
qos pq MaxTRESPerAccount=billing=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused MaxBillingPerAccount
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits MaxBillingPerAccount
0:03  B ends                                                  => C starts

story: MaxJobsPerUser of the QoS
qos q MaxJobsPerUser=1
0:01  ann submits B cpus=1 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSMaxJobsPerUserLimit
0:03  B ends                                                  => C starts

story: MaxJobsPerUser of the QoS with DenyOnLimit
qos q MaxJobsPerUser=1 Flags=DenyOnLimit
0:01  ann submits B cpus=1 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSMaxJobsPerUserLimit
0:03  B ends                                                  => C starts

story: MaxJobsPerUser of the partition QoS
qos pq MaxJobsPerUser=1
partition main nodes=all qos=pq
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSMaxJobsPerUserLimit
0:03  B ends                                                  => C starts

story: MaxJobsPerUser of the partition QoS with DenyOnLimit
qos pq MaxJobsPerUser=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSMaxJobsPerUserLimit
0:03  B ends                                                  => C starts

story: MaxJobs of the user
user ann account=team MaxJobs=1
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits AssocMaxJobsLimit
0:03  B ends                                                  => C starts

story: MaxJobs of the account
account team MaxJobs=1
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits AssocMaxJobsLimit
0:03  B ends                                                  => C starts

story: MaxJobsPerAccount of the QoS
qos q MaxJobsPerAccount=1
0:01  ann submits B cpus=1 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits MaxJobsPerAccount
0:03  B ends                                                  => C starts

story: MaxJobsPerAccount of the QoS with DenyOnLimit
qos q MaxJobsPerAccount=1 Flags=DenyOnLimit
0:01  ann submits B cpus=1 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits MaxJobsPerAccount
0:03  B ends                                                  => C starts

story: MaxJobsPerAccount of the partition QoS
qos pq MaxJobsPerAccount=1
partition main nodes=all qos=pq
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits MaxJobsPerAccount
0:03  B ends                                                  => C starts

story: MaxJobsPerAccount of the partition QoS with DenyOnLimit
qos pq MaxJobsPerAccount=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:01  ann submits B cpus=1 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits MaxJobsPerAccount
0:03  B ends                                                  => C starts

story: MaxSubmitJobsPerUser of the QoS
qos q MaxSubmitJobsPerUser=1
0:00  ann submits A array=0-1 limit=10:00 qos=q               => A is refused QOSMaxSubmitJobPerUserLimit
0:01  ann submits B limit=10:00 qos=q                         => B starts
0:02  ann submits C limit=10:00 qos=q                         => C is refused QOSMaxSubmitJobPerUserLimit

story: MaxSubmitJobsPerUser of the QoS with DenyOnLimit
qos q MaxSubmitJobsPerUser=1 Flags=DenyOnLimit
0:00  ann submits A array=0-1 limit=10:00 qos=q               => A is refused QOSMaxSubmitJobPerUserLimit
0:01  ann submits B limit=10:00 qos=q                         => B starts
0:02  ann submits C limit=10:00 qos=q                         => C is refused QOSMaxSubmitJobPerUserLimit

story: MaxSubmitJobsPerUser of the partition QoS
qos pq MaxSubmitJobsPerUser=1
partition main nodes=all qos=pq
0:00  ann submits A array=0-1 limit=10:00                     => A is refused QOSMaxSubmitJobPerUserLimit
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused QOSMaxSubmitJobPerUserLimit

story: MaxSubmitJobsPerUser of the partition QoS with DenyOnLimit
qos pq MaxSubmitJobsPerUser=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A array=0-1 limit=10:00                     => A is refused QOSMaxSubmitJobPerUserLimit
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused QOSMaxSubmitJobPerUserLimit

story: MaxSubmitJobs of the user
user ann account=team MaxSubmitJobs=1
0:00  ann submits A array=0-1 limit=10:00                     => A is refused AssocMaxSubmitJobLimit
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused AssocMaxSubmitJobLimit

story: MaxSubmitJobs of the account
account team MaxSubmitJobs=1
0:00  ann submits A array=0-1 limit=10:00                     => A is refused AssocMaxSubmitJobLimit
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused AssocMaxSubmitJobLimit

story: MaxSubmitJobsPerAccount of the QoS
qos q MaxSubmitJobsPerAccount=1
0:00  ann submits A array=0-1 limit=10:00 qos=q               => A is refused MaxSubmitJobsPerAccount
0:01  ann submits B limit=10:00 qos=q                         => B starts
0:02  ann submits C limit=10:00 qos=q                         => C is refused MaxSubmitJobsPerAccount

story: MaxSubmitJobsPerAccount of the QoS with DenyOnLimit
qos q MaxSubmitJobsPerAccount=1 Flags=DenyOnLimit
0:00  ann submits A array=0-1 limit=10:00 qos=q               => A is refused MaxSubmitJobsPerAccount
0:01  ann submits B limit=10:00 qos=q                         => B starts
0:02  ann submits C limit=10:00 qos=q                         => C is refused MaxSubmitJobsPerAccount

story: MaxSubmitJobsPerAccount of the partition QoS
qos pq MaxSubmitJobsPerAccount=1
partition main nodes=all qos=pq
0:00  ann submits A array=0-1 limit=10:00                     => A is refused MaxSubmitJobsPerAccount
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused MaxSubmitJobsPerAccount

story: MaxSubmitJobsPerAccount of the partition QoS with DenyOnLimit
qos pq MaxSubmitJobsPerAccount=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A array=0-1 limit=10:00                     => A is refused MaxSubmitJobsPerAccount
0:01  ann submits B limit=10:00                               => B starts
0:02  ann submits C limit=10:00                               => C is refused MaxSubmitJobsPerAccount

story: MaxTRESRunMinsPerUser of the QoS is not enforced by 22.05
qos q MaxTRESRunMinsPerUser=cpu=5
0:00  ann submits A limit=10:00 qos=q                         => A starts
0:01  ann submits B limit=10:00 qos=q                         => B starts

story: MaxTRESRunMinsPerUser of the QoS with DenyOnLimit is not enforced by 22.05
qos q MaxTRESRunMinsPerUser=cpu=5 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A starts
0:01  ann submits B limit=10:00 qos=q                         => B starts

story: MaxTRESRunMinsPerUser of the partition QoS is not enforced by 22.05
qos pq MaxTRESRunMinsPerUser=cpu=5
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A starts
0:01  ann submits B limit=10:00                               => B starts

story: MaxTRESRunMinsPerUser of the partition QoS with DenyOnLimit is not enforced by 22.05
qos pq MaxTRESRunMinsPerUser=cpu=5 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A starts
0:01  ann submits B limit=10:00                               => B starts

story: MaxTRESRunMinsPerAccount of the QoS is not enforced by 22.05
qos q MaxTRESRunMinsPerAccount=cpu=5
0:00  ann submits A limit=10:00 qos=q                         => A starts
0:01  ann submits B limit=10:00 qos=q                         => B starts

story: MaxTRESRunMinsPerAccount of the QoS with DenyOnLimit is not enforced by 22.05
qos q MaxTRESRunMinsPerAccount=cpu=5 Flags=DenyOnLimit
0:00  ann submits A limit=10:00 qos=q                         => A starts
0:01  ann submits B limit=10:00 qos=q                         => B starts

story: MaxTRESRunMinsPerAccount of the partition QoS is not enforced by 22.05
qos pq MaxTRESRunMinsPerAccount=cpu=5
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A starts
0:01  ann submits B limit=10:00                               => B starts

story: MaxTRESRunMinsPerAccount of the partition QoS with DenyOnLimit is not enforced by 22.05
qos pq MaxTRESRunMinsPerAccount=cpu=5 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A limit=10:00                               => A starts
0:01  ann submits B limit=10:00                               => B starts
