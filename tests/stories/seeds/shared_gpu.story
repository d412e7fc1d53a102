# Two teams share sixteen GPUs: research preempts low-priority batch, interactive work is capped.
policy ../../../examples/policies/shared-gpu.yaml
tags: quick-slurm

0:00     charlie submits BATCH qos=batch-lowprio nodes=2 gres=gpu:8 limit=4:00:00
         => BATCH starts on g[1-2], BATCH holds gpus 0-7 of g1, usage of qos batch-lowprio gres/gpu=16
5:00     alice submits TRAIN qos=research nodes=2 gres=gpu:8 limit=2:00:00 runs=30:00
         => TRAIN starts on g[1-2], BATCH is preempted, BATCH is requeued, BATCH waits BeginTime
6:00     bob submits FIVE qos=interactive nodes=1 gres=gpu:5 limit=10:00
         => FIVE is refused QOSGrpGRES "Job violates accounting/QOS policy"
6:30     bob submits LONG qos=interactive nodes=1 gres=gpu:1 limit=2:00:00
         => LONG is refused QOSMaxWallDurationPerJobLimit
7:00     bob submits FOUR qos=interactive nodes=1 gres=gpu:4 mem=64G limit=10:00 runs=5:00
         => FOUR waits Resources
8:00     => FOUR waits Resources, BATCH is pending, order FOUR BATCH
35:00    => TRAIN ends COMPLETED, FOUR starts, FOUR holds gpus 0-3 of g1, BATCH waits Resources
36:00    bob submits MORE qos=interactive nodes=1 gres=gpu:1 mem=8G limit=10:00
         => MORE waits QOSGrpGRES
36:30    charlie submits SWEEP qos=batch-lowprio array=0-99 gres=gpu:1 mem=8G limit=3:00
         => 10 of SWEEP run
40:00    => FOUR ends COMPLETED, MORE starts
