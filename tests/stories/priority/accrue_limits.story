# GrpJobsAccrue, MaxJobsAccrue, MaxJobsAccruePerUser and …PerAccount: how many waiting jobs gain
# priority by age. The first that is set counts: of the job's QoS, then up the tree.
nodes n1 cpus=4
qos two MaxJobsAccruePerUser=2
qos one MaxJobsAccruePerAccount=1
qos all GrpJobsAccrue=1 MaxJobsAccruePerUser=9
qos free
set priority.calc_period=1m priority.weight_age=100000 priority.max_age=1d

story: Two of each user, in the order of submission
account team users=ann,bob,cat
0:00     ann submits A cpus=4 limit=5:00:00                 => A starts
1:00     ann submits B cpus=4 limit=10:00 qos=two
1:05     ann submits C cpus=4 limit=10:00 qos=two
1:10     ann submits D cpus=4 limit=10:00 qos=two
1:15     bob submits E cpus=4 limit=10:00 qos=two
30:00    cat submits F cpus=4 limit=10:00
40:00    => order B C E F D
40:01    ann cancels B
50:00    cat submits G cpus=4 limit=10:00
1:10:00  => order C E F D G

story: A job that starts makes room for another
account team users=ann,bob,cat
0:00     ann submits A cpus=4 limit=20:00 runs=20:00        => A starts
1:00     ann submits B cpus=4 limit=5:00:00 qos=all
1:05     bob submits C cpus=4 limit=10:00 qos=all
15:00    cat submits D cpus=4 limit=10:00
20:00    => B starts
30:00    cat submits E cpus=4 limit=10:00
50:00    => order D C E

story: One of each account
account team users=ann,bob
account other users=cat
0:00     ann submits A cpus=4 limit=5:00:00                 => A starts
1:00     ann submits B cpus=4 limit=10:00 qos=one
1:05     bob submits C cpus=4 limit=10:00 qos=one
1:10     cat submits D cpus=4 limit=10:00 qos=one
10:00    cat submits E cpus=4 limit=10:00 qos=free
30:00    => order B D E C

story: Tasks of an array, and what is submitted before the rest of it
account team users=ann,bob
0:00     ann submits A cpus=4 limit=5:00:00                 => A starts
1:00     ann submits X cpus=4 limit=10:00 qos=two array=0-3
1:30     ann submits Y cpus=4 limit=10:00 qos=two
20:00    bob submits F cpus=4 limit=10:00
30:00    => X[0] has priority above F, X[1] has priority above F, X[2] has priority below F
         => Y has priority below F
30:01    ann cancels X[0]
45:00    bob submits G cpus=4 limit=10:00
1:00:00  => X[2] has priority above G, Y has priority below G
1:00:01  ann submits Z cpus=4 limit=10:00 qos=two
1:00:02  ann cancels X[1]
1:20:00  bob submits H cpus=4 limit=10:00
1:40:00  => Y has priority above H, X[3] has priority below H, Z has priority below H
1:40:01  ann cancels X[2]
2:00:00  bob submits I cpus=4 limit=10:00
2:20:00  => X[3] has priority above I, Z has priority below I

story: Limits of associations, and those of the QoS in their place
account team GrpJobsAccrue=2 users=ann,bob
account other MaxJobsAccrue=1 users=cat,dan
user eve account=other MaxJobsAccrue=2
0:00     ann submits A cpus=4 limit=5:00:00                 => A starts
1:00     ann submits B cpus=4 limit=10:00
1:02     bob submits C cpus=4 limit=10:00
1:04     bob submits D cpus=4 limit=10:00
1:06     bob submits E cpus=4 limit=10:00 qos=two
1:08     cat submits F cpus=4 limit=10:00
1:10     cat submits G cpus=4 limit=10:00
1:12     dan submits H cpus=4 limit=10:00
1:14     eve submits I cpus=4 limit=10:00
1:16     eve submits J cpus=4 limit=10:00
1:18     eve submits K cpus=4 limit=10:00
20:00    dan submits L cpus=4 limit=10:00 qos=two
40:00    => order B C E F H I J L D, order L G, order L K

story: A hold and another QoS begin it anew
account team users=ann,bob
0:00     ann submits A cpus=4 limit=5:00:00                 => A starts
1:00     ann submits B cpus=4 limit=10:00 qos=two
1:05     ann submits C cpus=4 limit=10:00 qos=two
1:10     ann submits D cpus=4 limit=10:00 qos=two
10:00    ann holds B
10:05    ann releases B
15:00    bob submits F cpus=4 limit=10:00
30:00    => order C D F B
30:01    root updates C qos=free
30:10    root updates C qos=two
40:00    bob submits G cpus=4 limit=10:00
59:00    => order D F B G C

story: Without limits in force, or with ACCRUE_ALWAYS, all gain age
account team users=ann,bob
set priority.accrue_always=yes
0:00     ann submits A cpus=4 limit=5:00:00                 => A starts
1:00     ann submits B cpus=4 limit=10:00 qos=all
1:05     ann submits C cpus=4 limit=10:00 qos=all
10:00    bob submits D cpus=4 limit=10:00
30:00    => order B C D
