# A job that was first in the queue and is not any more waits with Priority, not Resources.
# (The main pass stops when every partition is closed and leaves old reasons as they are.)
nodes n1 cpus=4
qos low  Priority=1
qos high Priority=10
set priority.weight_qos=1000
0:00  ann submits X cpus=4 limit=10:00           => X starts
0:01  ann submits A cpus=4 qos=low limit=10:00   => A waits Resources
0:02  ann submits B cpus=4 qos=high limit=10:00  => B waits Resources, A waits Priority
