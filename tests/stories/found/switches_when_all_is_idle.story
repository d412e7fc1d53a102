# Whether a job would fit if all nodes were idle is asked without counting its switches.
tags: same-reasons
nodes n[1-2] cpus=8 memory=2000
nodes n3 cpus=2 memory=8000 gpus=b:2
nodes n[4-5] cpus=12 memory=8000 gpus=a:4,b:1
nodes n[6-7] cpus=6 memory=4000
nodes n[8-9] cpus=16 memory=4000
switch s0 nodes=n1,n2,n7,n9
switch s1 nodes=n4,n5,n6,n8
switch s2 nodes=n3
switch top switches=s0,s1,s2
0:10  bob submits B limit=10:00 tasks=2 mem-per-cpu=900 nodes=2 switches=1
0:20  node n1 drains
2:30  bob submits C limit=20:00 tasks=15 nodes=3 mem=3000 switches=1
2:50  bob submits E limit=20:00 tasks=17 switches=1@15:00    => E waits Resources
