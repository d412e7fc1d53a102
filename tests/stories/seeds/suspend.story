# Three CPUs on each of two nodes: a job in ucthi puts one of uctlo to sleep.
policy ../../../examples/policies/preempt-suspend.yaml
0:00   bob submits B1807 partition=uctlo nodelist=hpc402 limit=1:00:00
0:03   bob submits B1808 partition=uctlo nodelist=hpc402 limit=1:00:00
0:03   bob submits B1809 partition=uctlo nodelist=hpc402 limit=1:00:00
0:35   andy submits A1811 partition=ucthi nodelist=hpc401 limit=1:00:00  => A1811 starts on hpc401
2:21   andy submits A1812 partition=ucthi limit=1:00:00                  => A1812 starts on hpc401
3:58   andy submits A1813 partition=ucthi limit=1:00:00                  => A1813 starts on hpc401
5:36   andy submits A1814 partition=ucthi limit=1:00:00
       => A1814 starts on hpc402, B1807 is suspended on hpc402, B1808 runs, B1809 runs
20:00  A1814 ends                                                        => B1807 resumes
