# Each GPU brings its CPUs to a job that does not say how many; the partition's number comes first.
tags: same-reasons
nodes   n1 cpus=8 gpus=4
partition main nodes=n1 default=yes def_cpu_per_gpu=3
partition few nodes=n1
set     jobs.def_cpu_per_gpu=1
0:00    ann submits A  gpus=2 limit=10:00                    => A starts
0:01    bob submits B  gpus=1 limit=10:00                    => B waits Resources
0:02    cat submits C  gpus=1 limit=5:00 partition=few       => C starts
0:03    dan submits D  gpus=1 cpus=1 limit=5:00              => D starts
