# The age of a job that was held begins anew when it is released.
nodes n[1-2] cpus=16
set priority.calc_period=1m priority.weight_age=1000 priority.max_age=1h

story: Held by its owner
0:00     ann submits A nodes=2 exclusive limit=2:00:00       => A starts
0:01     ann submits B nodes=2 exclusive limit=10:00
10:00    bob submits C nodes=2 exclusive limit=10:00
30:00    ann holds B                                         => B has priority 0
30:10    ann releases B
40:00    cat submits D nodes=2 exclusive limit=10:00         => B has priority above D
40:01    => order C B D

story: Held by an administrator, with ACCRUE_ALWAYS
set priority.accrue_always=yes
0:00     ann submits A nodes=2 exclusive limit=2:00:00       => A starts
0:01     ann submits B nodes=2 exclusive limit=10:00
10:00    bob submits C nodes=2 exclusive limit=10:00
30:00    root holds B                                        => B has priority 0
30:10    root releases B
40:01    => order B C
