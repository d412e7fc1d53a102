# What a job costs: TRESBillingWeights of its partition, and limits on that.
nodes n[1-2] cpus=4 memory=4000 gpus=2
partition main nodes=n[1-2] Default=YES billing_weights=cpu=1,gres/gpu=4
partition cheap nodes=n[1-2] billing_weights=cpu=0.5
account team users=ann,bob

story: GPUs cost more than CPUs
qos q GrpTRES=billing=6
0:00  ann submits A cpus=2 gres=gpu:1 limit=10:00 qos=q    => A starts
0:01  ann submits B cpus=1 limit=10:00 qos=q               => B waits QOSGrpBilling

story: A partition may be cheaper than another
qos q GrpTRES=billing=2
0:00  ann submits A cpus=4 limit=10:00 qos=q               => A waits QOSGrpBilling
0:01  ann submits B cpus=4 limit=10:00 qos=q partition=cheap => B starts
