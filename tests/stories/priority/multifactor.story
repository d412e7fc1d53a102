# Multifactor priority, number by number as sprio of 22.05 showed it (less the age, which is nothing
# at submission).
nodes n[1-2] cpus=16 memory=10000 gpus=4
partition main nodes=all default=yes priority_job_factor=10
partition fast nodes=all priority_job_factor=40
partition two nodes=n2
qos q10 Priority=10
qos q50 Priority=50
qos q100 Priority=100
account phys shares=40
account sub parent=phys shares=20 users=charlie
user alice account=phys shares=10
user bob account=phys shares=30 priority=7
account chem shares=60 users=dave,eve priority=20
set priority.weight_age=1000 priority.max_age=1h priority.weight_fairshare=10000
set priority.weight_job_size=1000 priority.weight_partition=1000 priority.weight_qos=1000
set priority.weight_assoc=1000 priority.weight_tres=cpu=1000,mem=2000,gres/gpu=3000
set priority.half_life=1d priority.calc_period=1m

story: Every factor under Fair Tree
0:00   alice submits U1 cpus=8 limit=10:00 runs=0:20
0:00   dave submits U2 cpus=4 limit=10:00 runs=0:20
0:00   charlie submits U3 cpus=2 limit=10:00 runs=0:20
1:00   eve submits X nodes=2 tasks=32 limit=1:00:00           => X starts
2:00   => fairshare of bob = 0.833333, fairshare of charlie = 0.666667, fairshare of alice = 0.5
       => fairshare of dave = 0.333333, fairshare of eve = 0.166667, fairshare of root = 1
2:01   alice submits A1 limit=10:00                           => A1 has priority 5547
2:01   bob submits B1 limit=10:00                             => B1 has priority 9231
2:01   charlie submits C1 limit=10:00                         => C1 has priority 7214
2:01   dave submits D1 limit=10:00                            => D1 has priority 4881
2:01   alice submits A2 cpus=8 qos=q10 limit=10:00            => A2 has priority 5983
2:01   alice submits A3 nodes=2 tasks=32 mem=5000 qos=q50 limit=10:00  => A3 has priority 8750
2:01   alice submits A4 cpus=4 mem=1000 gres=gpu:2 qos=q100 limit=10:00  => A4 has priority 7537
2:01   alice submits A5 partition=fast limit=10:00            => A5 has priority 6297
2:01   alice submits A6 partition=two limit=10:00             => A6 has priority 5355
2:01   alice submits A7 nice=50 limit=10:00                   => A7 has priority 5497
2:02   => order B1 A3 A4 C1 A5 A2 A1 A7 A6 D1

story: A job that is held has no priority, and one that may not begin yet gathers no age
0:00   eve submits X nodes=2 tasks=32 limit=2:00:00
0:01   alice submits A hold limit=10:00                       => A has priority 0
0:02   alice submits B begin=1:00:00 limit=10:00
0:03   alice submits C limit=10:00
30:00  => C has priority above B
