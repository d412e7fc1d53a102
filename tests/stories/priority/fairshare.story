# A user who used little goes first.
nodes n[1-2] cpus=16
set priority.weight_fairshare=10000 priority.calc_period=1m

story: The user who used less goes first
account team users=ann,bob
0:00     ann submits A nodes=2 exclusive limit=10:00  => A starts
5:00     ann submits B nodes=2 exclusive limit=10:00
5:01     bob submits C nodes=2 exclusive limit=10:00  => order C B, C has priority above B
6:00     => fairshare of bob > ann
10:00    => C starts

story: Shares weigh what was used
account team
user ann account=team shares=9
user bob account=team shares=1
0:00     ann submits A cpus=8 limit=10:00
0:00     bob submits B cpus=4 limit=10:00
5:00     => fairshare of ann > bob

story: An account that used less goes before another, whichever user asks
account one users=ann,bob
account two users=cat
0:00     ann submits A cpus=16 limit=10:00
0:00     cat submits B cpus=4 limit=10:00
5:00     => fairshare of cat > bob, fairshare of bob > ann

story: Reset usage is forgotten
account team users=ann,bob
0:00     ann submits A cpus=16 limit=10:00 runs=5:00
6:00     => fairshare of bob > ann
7:00     usage is reset
8:00     => fairshare of bob = ann

story: The classic formula: half for a user who used just the share
account team users=ann,bob
set priority.fair_tree=no
0:00     ann submits A cpus=8 limit=10:00
5:00     => fairshare of bob > ann

story: What was used fades with the half-life
account team users=ann
qos q GrpTRESMins=cpu=5
set priority.half_life=5m
0:00     ann submits A cpus=10 limit=10:00 runs=1:00 qos=q
1:01     ann submits B limit=1:00 qos=q               => B waits QOSGrpCPUMinutesLimit
15:00    => B ended TIMEOUT

story: With NoDecay it does not fade
account team users=ann
qos q GrpTRESMins=cpu=5 Flags=NoDecay
set priority.half_life=5m
0:00     ann submits A cpus=10 limit=10:00 runs=1:00 qos=q
1:01     ann submits B limit=1:00 qos=q               => B waits QOSGrpCPUMinutesLimit
1:00:00  => B waits QOSGrpCPUMinutesLimit
