# Two CPUs on each of three nodes, each shared by two jobs: some are asleep, and take turns.
policy ../../../examples/policies/gang.yaml
tolerance: 75s
0:00   bob submits B1815 limit=1:00:00    => B1815 starts on hpc406
0:03   bob submits B1816 limit=1:00:00    => B1816 starts on hpc406
0:03   bob submits B1817 limit=1:00:00    => B1817 starts on hpc407
0:31   andy submits A1820 limit=1:00:00   => A1820 starts on hpc407
0:34   andy submits A1821 limit=1:00:00   => A1821 starts on hpc408
0:34   andy submits A1822 limit=1:00:00   => A1822 starts on hpc408
0:50   andy submits A1823 limit=1:00:00   => A1823 is suspended on hpc406
0:50   andy submits A1824 limit=1:00:00   => A1824 is suspended on hpc406
3:00   => A1823 runs, A1824 runs, B1815 is suspended, B1816 is suspended
       => B1817 runs, A1820 runs, A1821 runs, A1822 runs
