# GrpTRES: what all running jobs of a QoS, a user or an account may hold together.
nodes n[1-2] cpus=16 memory=10000 gpus=4
account team users=ann,bob

story: GrpTRES cpu of the QoS
tags: quick-slurm
qos q GrpTRES=cpu=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits QOSGrpCpuLimit
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSGrpCpuLimit
0:03  B ends                                                  => C starts

story: GrpTRES cpu of the QoS with DenyOnLimit
tags: quick-slurm
qos q GrpTRES=cpu=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused QOSGrpCpuLimit
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSGrpCpuLimit
0:03  B ends                                                  => C starts

story: GrpTRES cpu of the partition QoS
qos pq GrpTRES=cpu=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits QOSGrpCpuLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSGrpCpuLimit
0:03  B ends                                                  => C starts

story: GrpTRES cpu of the partition QoS with DenyOnLimit
qos pq GrpTRES=cpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused QOSGrpCpuLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSGrpCpuLimit
0:03  B ends                                                  => C starts

story: GrpTRES cpu of the user
user ann account=team GrpTRES=cpu=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocGrpCpuLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits AssocGrpCpuLimit
0:03  B ends                                                  => C starts

story: GrpTRES cpu of the account
account team GrpTRES=cpu=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocGrpCpuLimit
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits AssocGrpCpuLimit
0:03  B ends                                                  => C starts

story: GrpTRES mem of the QoS
qos q GrpTRES=mem=1000
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A waits QOSGrpMemLimit
0:01  ann submits B mem=800 limit=10:00 qos=q                 => B starts
0:02  ann submits C mem=800 limit=10:00 qos=q                 => C waits QOSGrpMemLimit
0:03  B ends                                                  => C starts

story: GrpTRES mem of the QoS with DenyOnLimit
qos q GrpTRES=mem=1000 Flags=DenyOnLimit
0:00  ann submits A mem=1500 limit=10:00 qos=q                => A is refused QOSGrpMemLimit
0:01  ann submits B mem=800 limit=10:00 qos=q                 => B starts
0:02  ann submits C mem=800 limit=10:00 qos=q                 => C waits QOSGrpMemLimit
0:03  B ends                                                  => C starts

story: GrpTRES mem of the partition QoS
qos pq GrpTRES=mem=1000
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A waits QOSGrpMemLimit
0:01  ann submits B mem=800 limit=10:00                       => B starts
0:02  ann submits C mem=800 limit=10:00                       => C waits QOSGrpMemLimit
0:03  B ends                                                  => C starts

story: GrpTRES mem of the partition QoS with DenyOnLimit
qos pq GrpTRES=mem=1000 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A mem=1500 limit=10:00                      => A is refused QOSGrpMemLimit
0:01  ann submits B mem=800 limit=10:00                       => B starts
0:02  ann submits C mem=800 limit=10:00                       => C waits QOSGrpMemLimit
0:03  B ends                                                  => C starts

story: GrpTRES mem of the user
user ann account=team GrpTRES=mem=1000
0:00  ann submits A mem=1500 limit=10:00                      => A waits AssocGrpMemLimit
0:01  ann submits B mem=800 limit=10:00                       => B starts
0:02  ann submits C mem=800 limit=10:00                       => C waits AssocGrpMemLimit
0:03  B ends                                                  => C starts

story: GrpTRES mem of the account
account team GrpTRES=mem=1000
0:00  ann submits A mem=1500 limit=10:00                      => A waits AssocGrpMemLimit
0:01  ann submits B mem=800 limit=10:00                       => B starts
0:02  ann submits C mem=800 limit=10:00                       => C waits AssocGrpMemLimit
0:03  B ends                                                  => C starts

story: GrpTRES gres/gpu of the QoS
qos q GrpTRES=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A waits QOSGrpGRES
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts
0:02  ann submits C gres=gpu:1 limit=10:00 qos=q              => C waits QOSGrpGRES
0:03  B ends                                                  => C starts

story: GrpTRES gres/gpu of the QoS with DenyOnLimit
qos q GrpTRES=gres/gpu=2 Flags=DenyOnLimit
0:00  ann submits A gres=gpu:3 limit=10:00 qos=q              => A is refused QOSGrpGRES
0:01  ann submits B gres=gpu:2 limit=10:00 qos=q              => B starts
0:02  ann submits C gres=gpu:1 limit=10:00 qos=q              => C waits QOSGrpGRES
0:03  B ends                                                  => C starts

story: GrpTRES gres/gpu of the partition QoS
qos pq GrpTRES=gres/gpu=2
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits QOSGrpGRES
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts
0:02  ann submits C gres=gpu:1 limit=10:00                    => C waits QOSGrpGRES
0:03  B ends                                                  => C starts

story: GrpTRES gres/gpu of the partition QoS with DenyOnLimit
qos pq GrpTRES=gres/gpu=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A gres=gpu:3 limit=10:00                    => A is refused QOSGrpGRES
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts
0:02  ann submits C gres=gpu:1 limit=10:00                    => C waits QOSGrpGRES
0:03  B ends                                                  => C starts

story: GrpTRES gres/gpu of the user
user ann account=team GrpTRES=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits AssocGrpGRES
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts
0:02  ann submits C gres=gpu:1 limit=10:00                    => C waits AssocGrpGRES
0:03  B ends                                                  => C starts

story: GrpTRES gres/gpu of the account
account team GrpTRES=gres/gpu=2
0:00  ann submits A gres=gpu:3 limit=10:00                    => A waits AssocGrpGRES
0:01  ann submits B gres=gpu:2 limit=10:00                    => B starts
0:02  ann submits C gres=gpu:1 limit=10:00                    => C waits AssocGrpGRES
0:03  B ends                                                  => C starts

story: GrpTRES node of the QoS
qos q GrpTRES=node=1
0:00  ann submits A nodes=2 limit=10:00 qos=q                 => A waits QOSGrpNodeLimit
0:01  ann submits B nodes=1 exclusive limit=10:00 qos=q       => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00 qos=q       => C waits QOSGrpNodeLimit
0:03  B ends                                                  => C starts

story: GrpTRES node of the QoS with DenyOnLimit
qos q GrpTRES=node=1 Flags=DenyOnLimit
0:00  ann submits A nodes=2 limit=10:00 qos=q                 => A is refused QOSGrpNodeLimit
0:01  ann submits B nodes=1 exclusive limit=10:00 qos=q       => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00 qos=q       => C waits QOSGrpNodeLimit
0:03  B ends                                                  => C starts

story: GrpTRES node of the partition QoS
qos pq GrpTRES=node=1
partition main nodes=all qos=pq
0:00  ann submits A nodes=2 limit=10:00                       => A waits QOSGrpNodeLimit
0:01  ann submits B nodes=1 exclusive limit=10:00             => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00             => C waits QOSGrpNodeLimit
0:03  B ends                                                  => C starts

story: GrpTRES node of the partition QoS with DenyOnLimit
qos pq GrpTRES=node=1 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A nodes=2 limit=10:00                       => A is refused QOSGrpNodeLimit
0:01  ann submits B nodes=1 exclusive limit=10:00             => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00             => C waits QOSGrpNodeLimit
0:03  B ends                                                  => C starts

story: GrpTRES node of the user
user ann account=team GrpTRES=node=1
0:00  ann submits A nodes=2 limit=10:00                       => A waits AssocGrpNodeLimit
0:01  ann submits B nodes=1 exclusive limit=10:00             => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00             => C waits AssocGrpNodeLimit
0:03  B ends                                                  => C starts

story: GrpTRES node of the account
account team GrpTRES=node=1
0:00  ann submits A nodes=2 limit=10:00                       => A waits AssocGrpNodeLimit
0:01  ann submits B nodes=1 exclusive limit=10:00             => B starts
0:02  ann submits C nodes=1 exclusive limit=10:00             => C waits AssocGrpNodeLimit
0:03  B ends                                                  => C starts

story: GrpTRES billing of the QoS
qos q GrpTRES=billing=2
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A waits QOSGrpBilling
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSGrpBilling
0:03  B ends                                                  => C starts

story: GrpTRES billing of the QoS with DenyOnLimit
qos q GrpTRES=billing=2 Flags=DenyOnLimit
0:00  ann submits A cpus=3 limit=10:00 qos=q                  => A is refused QOSGrpBilling
0:01  ann submits B cpus=2 limit=10:00 qos=q                  => B starts
0:02  ann submits C cpus=1 limit=10:00 qos=q                  => C waits QOSGrpBilling
0:03  B ends                                                  => C starts

story: GrpTRES billing of the partition QoS
qos pq GrpTRES=billing=2
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A waits QOSGrpBilling
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSGrpBilling
0:03  B ends                                                  => C starts

story: GrpTRES billing of the partition QoS with DenyOnLimit
qos pq GrpTRES=billing=2 Flags=DenyOnLimit
partition main nodes=all qos=pq
0:00  ann submits A cpus=3 limit=10:00                        => A is refused QOSGrpBilling
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits QOSGrpBilling
0:03  B ends                                                  => C starts

story: GrpTRES billing of the user
user ann account=team GrpTRES=billing=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocGrpBilling
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits AssocGrpBilling
0:03  B ends                                                  => C starts

story: GrpTRES billing of the account
account team GrpTRES=billing=2
0:00  ann submits A cpus=3 limit=10:00                        => A waits AssocGrpBilling
0:01  ann submits B cpus=2 limit=10:00                        => B starts
0:02  ann submits C cpus=1 limit=10:00                        => C waits AssocGrpBilling
0:03  B ends                                                  => C starts

story: A type of GPU counts before the start only where the job names it, and afterwards always
nodes g1 cpus=8 gpus=a100:4
partition typed nodes=g1 Default=YES billing_weights=cpu=1,gres/gpu:a100=4
account team users=ann
qos q GrpTRES=gres/gpu:a100=1
qos billed GrpTRES=billing=3
0:00  ann submits A gres=gpu:1 limit=10:00 qos=q           => A starts
0:01  ann submits B gres=gpu:1 limit=10:00 qos=q           => B starts
0:02  ann submits C gres=gpu:a100:1 limit=10:00 qos=q      => C waits QOSGrpGRES
0:03  ann submits D gres=gpu:1 limit=10:00 qos=billed      => D starts
0:04  ann submits E gres=gpu:1 limit=10:00 qos=billed      => E waits QOSGrpBilling
