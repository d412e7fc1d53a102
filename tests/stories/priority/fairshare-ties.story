# Fair Tree where two are equally good: which users share a rank.
nodes n[1-2] cpus=16
set priority.weight_fairshare=10000 priority.calc_period=1m

story: Nothing was used: all users are equally good, in any account
account one users=ann,bob
account two users=cat,dan
2:00     => fairshare of ann = 1, fairshare of bob = 1, fairshare of cat = 1, fairshare of dan = 1

story: Accounts that used nothing share the best rank, behind them ranks are counted on
account one users=ann,bob
account two users=cat,dan
account three users=eve,fay
0:00     ann submits A cpus=4 limit=20:00             => A starts
10:00    => fairshare of cat = 1, fairshare of dan = 1, fairshare of eve = 1, fairshare of fay = 1
         => fairshare of bob = 0.285714, fairshare of ann = 0.142857

story: Users of one account that are equally good share a rank
account one
user ann account=one shares=0
user bob account=one shares=0
user cat account=one shares=1
0:00     ann submits A cpus=4 limit=20:00             => A starts
0:00     bob submits B cpus=8 limit=20:00             => B starts
10:00    => fairshare of cat = 0.75, fairshare of ann = 0.5, fairshare of bob = 0.5

# The documentation would merge the two accounts: bob with dan, ann with cat. slurmctld 22.05 takes
# one after the other, and the first of the second shares the rank of the last of the first.
story: Users of accounts that are equally good are ranked one account after the other
account one shares=0 users=ann,bob
account two shares=0 users=cat,dan
account three users=eve
0:00     ann submits A cpus=4 limit=20:00             => A starts
0:00     cat submits C cpus=8 limit=20:00             => C starts
10:00    => fairshare of eve = 1, fairshare of bob = 0.666667, fairshare of ann = 0.5
         => fairshare of dan = 0.5, fairshare of cat = 0.166667
