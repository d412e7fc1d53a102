# GPUs have identity and type.

story: GPUs are handed out by number and come back
nodes n1 cpus=8 gpus=4
0:00  ann submits A gres=gpu:2 limit=10:00       => A starts on n1, A holds gpus 0-1 of n1
0:01  bob submits B gres=gpu:1 limit=10:00       => B starts, B holds gpus 2 of n1
0:02  cat submits C gres=gpu:2 limit=10:00       => C waits Resources, n1 has 1 gpus free
0:03  ann cancels A                              => C starts, C holds gpus 0-1 of n1

story: A type that is asked for is the type one gets
nodes n1 cpus=8 gpus=a100:2
nodes n2 cpus=8 gpus=v100:2
0:00  ann submits A gres=gpu:v100:1 limit=10:00  => A starts on n2
0:01  ann submits B gres=gpu:a100:2 limit=10:00  => B starts on n1
0:02  ann submits C gres=gpu:a100:1 limit=10:00  => C waits Resources
0:03  ann submits D gres=gpu:h100:1 limit=10:00  => D is refused

story: Types may be mixed on one node
nodes n1 cpus=8 gpus=a100:2 gpus=v100:2
0:00  ann submits A gres=gpu:v100:2 limit=10:00  => A starts, A holds gpus 2-3 of n1
0:01  ann submits B gres=gpu:2 limit=10:00       => B starts, B holds gpus 0-1 of n1
0:02  ann submits C gres=gpu:1 limit=10:00       => C waits Resources

story: GPUs of a job may lie on several nodes
nodes n[1-2] cpus=8 gpus=2
0:00  ann submits A gpus=4 limit=10:00           => A starts on n[1-2], A holds 4 gpus
0:01  ann submits B gpus=1 limit=10:00           => B waits Resources

story: GPUs per task
nodes n1 cpus=8 gpus=4
0:00  ann submits A tasks=2 gpus-per-task=2 limit=10:00  => A starts, A holds 4 gpus, A holds 2 cpus

story: More GPUs than a node has are refused
nodes n1 cpus=8 gpus=4
0:00  ann submits A gres=gpu:5 limit=10:00       => A is refused "Requested node configuration is not available"
