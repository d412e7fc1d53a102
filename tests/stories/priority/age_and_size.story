# One factor at a time.
nodes n[1-2] cpus=16
set priority.calc_period=1m

story: Age grows up to its maximum
set priority.weight_age=1000 priority.max_age=1h
0:00     ann submits X nodes=2 exclusive limit=3:00:00
0:00     ann submits A limit=10:00                => A has priority 1
30:00                                             => A has priority 500
1:00:00                                           => A has priority 1000
2:00:00                                           => A has priority 1000

story: Large jobs first
set priority.weight_job_size=1000
0:00     ann submits X nodes=2 exclusive limit=3:00:00
0:01     ann submits A limit=10:00                => A has priority 265
0:02     ann submits B nodes=2 tasks=32 limit=10:00  => B has priority 1000, order B A

story: Small jobs first
set priority.weight_job_size=1000 priority.favor_small=yes
0:00     ann submits X nodes=2 exclusive limit=3:00:00
0:01     ann submits B nodes=2 tasks=16 limit=10:00  => B has priority 250
0:02     ann submits A limit=10:00                => A has priority 734, order A B

story: Size in relation to time
set priority.weight_job_size=1000 priority.small_relative_to_time=yes
0:00     ann submits X nodes=2 exclusive limit=3:00:00
0:01     ann submits A limit=10:00                => A has priority 50
0:02     ann submits B nodes=2 limit=1:00:00      => B has priority 16

story: The QoS decides
qos low Priority=10
qos high Priority=100
set priority.weight_qos=1000
0:00     ann submits X nodes=2 exclusive limit=3:00:00
0:01     ann submits A qos=low limit=10:00        => A has priority 100
0:02     ann submits B qos=high limit=10:00       => B has priority 1000, order B A
0:03     ann submits C limit=10:00                => order B A C

story: The partition decides
partition one nodes=all default=yes priority_job_factor=10
partition two nodes=all priority_job_factor=40
set priority.weight_partition=1000
0:00     ann submits X nodes=2 exclusive limit=3:00:00
0:01     ann submits A limit=10:00                => A has priority 250
0:02     ann submits B partition=two limit=10:00  => B has priority 1000, order B A

story: A pending job moves when its QoS changes
qos low Priority=10
qos high Priority=100
set priority.weight_qos=1000
0:00     ann submits X nodes=2 exclusive limit=3:00:00
0:01     ann submits A qos=high limit=10:00
0:02     ann submits B qos=low limit=10:00        => order A B
0:03     ann updates A qos=normal                 => order B A

story: An operator can say the priority
set priority.weight_age=1000
0:00     ann submits X nodes=2 exclusive limit=3:00:00
0:01     ann submits A limit=10:00
0:02     ann submits B limit=10:00                => order A B
0:03     ann updates B priority=5000              => B is refused "denied"
0:04     root updates B priority=5000             => B has priority 5000, order B A
