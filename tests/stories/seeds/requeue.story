# Three CPUs on each of two nodes: jobs in ucthi send those of uctlo back to the queue.
policy ../../../examples/policies/preempt-requeue.yaml
0:00   bob submits B1794 partition=uctlo nodelist=hpc401 limit=1:00:00
0:03   bob submits B1795 partition=uctlo nodelist=hpc401 limit=1:00:00
0:03   bob submits B1796 partition=uctlo nodelist=hpc401 limit=1:00:00
0:03   bob submits B1797 partition=uctlo limit=1:00:00
0:03   bob submits B1798 partition=uctlo limit=1:00:00
0:06   bob submits B1799 partition=uctlo limit=1:00:00   => B1797 runs on hpc402, B1799 starts on hpc402
0:49   andy submits A1801 partition=ucthi limit=1:00:00  => A1801 starts on hpc401, B1794 waits BeginTime, B1795 runs, B1796 runs
0:54   andy submits A1802 partition=ucthi limit=1:00:00  => A1802 starts on hpc401, B1795 waits BeginTime, B1796 runs
0:58   andy submits A1803 partition=ucthi limit=1:00:00  => A1803 starts on hpc401, B1796 waits BeginTime
       => B1797 runs, B1798 runs, B1799 runs
