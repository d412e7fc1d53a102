# Priority by QoS alone: bob makes room for andy, and comes back beside him when a CPU is free.
# (The first slurmctld to tell this story took all three jobs of the node; 22.05 takes two.)
policy ../../../examples/policies/multifactor.yaml
0:00   bob submits B1888 limit=1:00:00 nodelist=hpc401
0:03   bob submits B1889 limit=1:00:00 nodelist=hpc401
0:03   bob submits B1890 limit=1:00:00 nodelist=hpc401 runs=2:10
0:03   bob submits B1891 limit=1:00:00
0:06   bob submits B1892 limit=1:00:00
0:09   bob submits B1893 limit=1:00:00      => B1890 runs on hpc401, B1893 starts on hpc402
0:18   andy submits A1894 cpus=2 limit=1:00:00
       => A1894 starts on hpc401, B1888 is preempted, B1889 is preempted, B1888 waits BeginTime
       => B1889 waits BeginTime, B1890 runs, B1891 runs, B1892 runs, B1893 runs
2:13   => B1890 ends COMPLETED, B1888 waits BeginTime
3:00   => A1894 runs, B1888 runs on hpc401, B1889 waits Resources
