# DEPTH_OBLIVIOUS: how deep below the root an account lies does not count.
# As sshare of 22.05 showed it, to two digits: a second more of any run shows in the fourth.
nodes n[1-2] cpus=16
set priority.weight_fairshare=1000 priority.calc_period=1m priority.half_life=1d priority.depth_oblivious=yes
account phys shares=40
account sub parent=phys shares=20 users=charlie
user alice account=phys shares=10
user bob account=phys shares=30
account chem shares=60 users=dave,eve
account bio shares=10 users=fay,gus
account deep parent=bio shares=parent users=hal

story: Users are weighed by their level and by the account above
0:00   alice submits U1 cpus=8 limit=50:00 runs=40:00
0:00   dave submits U2 cpus=4 limit=50:00 runs=40:00
0:00   charlie submits U3 cpus=2 limit=50:00 runs=40:00
0:00   bob submits U4 cpus=2 limit=50:00 runs=40:00
0:00   eve submits U5 cpus=12 limit=50:00 runs=40:00
0:00   hal submits U6 cpus=1 limit=50:00 runs=40:00
0:00   fay submits U7 cpus=2 limit=50:00 runs=40:00
50:00  => fairshare of bob > dave, fairshare of dave > charlie, fairshare of charlie > hal
       => fairshare of hal > eve, fairshare of eve > fay, fairshare of fay > alice
       => fairshare of gus = 1

story: It takes the place of Fair Tree
0:00   alice submits U1 cpus=8 limit=50:00 runs=40:00
0:00   dave submits U2 cpus=4 limit=50:00 runs=40:00
50:00  => fairshare of bob = 1, fairshare of gus = 1, fairshare of eve = 1
       => fairshare of dave > alice
