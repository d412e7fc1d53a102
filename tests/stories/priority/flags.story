# PriorityFlags: which priorities are calculated, and from what.
nodes n[1-2] cpus=16
set priority.calc_period=1m priority.half_life=1d

story: With INCR_ONLY a priority that was given is never taken away
set priority.weight_fairshare=100000 priority.increase_only=yes
account team users=ann,bob,cat
0:00     cat submits X nodes=2 exclusive limit=10:00 runs=5:00  => X starts
0:01     ann submits A nodes=2 exclusive limit=2:00:00
0:01     ann submits B nodes=2 exclusive limit=10:00
5:00     => A starts
30:00    ann submits D nodes=2 exclusive limit=10:00         => B has priority above D
30:01    bob submits C nodes=2 exclusive limit=10:00
30:02    => order B C D

story: Without it the priority falls with what the user has used
set priority.weight_fairshare=100000
account team users=ann,bob,cat
0:00     cat submits X nodes=2 exclusive limit=10:00 runs=5:00  => X starts
0:01     ann submits A nodes=2 exclusive limit=2:00:00
0:01     ann submits B nodes=2 exclusive limit=10:00
5:00     => A starts
30:00    ann submits D nodes=2 exclusive limit=10:00
30:01    bob submits C nodes=2 exclusive limit=10:00
32:00    => order C B D

story: With INCR_ONLY age still raises it, and a job that was held begins anew
set priority.weight_age=1000 priority.max_age=1h priority.increase_only=yes
0:00     ann submits A nodes=2 exclusive limit=2:00:00       => A starts
0:01     ann submits B nodes=2 exclusive limit=10:00
0:02     bob submits C nodes=2 exclusive limit=10:00
30:00    ann holds B                                         => B has priority 0
30:10    ann releases B
40:00    cat submits D nodes=2 exclusive limit=10:00         => C has priority above D
40:01    => order C B D
45:00    bob cancels C
45:01    => order B D

story: With CALCULATE_RUNNING the priority of a job that runs goes on
set priority.weight_age=1000 priority.max_age=1h priority.calculate_running=yes priority.accrue_always=yes
0:00     ann submits A nodes=2 exclusive limit=2:00:00       => A starts
30:00    bob submits B nodes=2 exclusive limit=10:00         => A has priority above B
