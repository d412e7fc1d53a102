# Two accounts of one person: tasks go where there is room now.
tags: simulated-only
policy:
  cluster: two
  nodes:
    - {name: 'g[1-2]', cpus: 128, memory: 1000000M, gpus: {b200: 4}}
    - {name: 'c[1-2]', cpus: 128, memory: 1000000M}
  partitions:
    hpg-b200: {nodes: 'g[1-2]'}
    hpg-default: {nodes: 'c[1-2]', default: yes}
  qos:
    clive: {GrpTRES: 'cpu=40,mem=320000M,gres/gpu=1'}
    maigan: {GrpTRES: 'cpu=80,mem=640000M,gres/gpu=2'}
  accounts:
    clive: {qos: [clive], default_qos: clive, users: [alice, drew]}
    maigan: {qos: [maigan], default_qos: maigan, users: [alice, drew]}
  enforce: [associations, limits, qos]

routing:
  stuck-after: 1m
  devices:
    gpu: {partitions: hpg-b200, cpus: 8, memory: 125G, gpus: 1}
    cpu: {partitions: hpg-default, cpus: 8, memory: 64000M}

story: A neighbour's memory in clive sends everything to maigan.
0:00  drew submits N account=clive qos=clive cpus=8 mem=262144 limit=30:00
0:05  alice routes A array=0-3 cpus=8 mem=125G gpus-per-node=1 limit=30:00 device=gpu
      => A goes to maigan/gpu, A[0-1] run, A[2-3] wait QOSGrpGRES
      => clive/gpu takes none "full: memory of qos clive: 256G held + 125G asked > 312.50G"
0:10  alice routes B cpus=8 mem=62500 limit=30:00 device=cpu  => B goes to maigan/cpu, B starts

story: A neighbour that holds the GPU too changes nothing.
0:00  drew submits N account=clive qos=clive partition=hpg-b200 cpus=8 mem=262144 gpus-per-node=1 limit=30:00
0:05  alice routes A array=0-3 cpus=8 mem=125G gpus-per-node=1 limit=30:00 device=gpu
      => A goes to maigan/gpu

story: Where all is full nothing is submitted, until a job ends.
0:00  drew submits N account=clive qos=clive cpus=8 mem=262144 limit=30:00 runs=20:00
0:00  drew submits M account=maigan qos=maigan cpus=8 mem=600000 limit=30:00 runs=20:00
0:05  alice routes A array=0-3 cpus=8 mem=125G gpus-per-node=1 limit=30:00 device=gpu
      => refused "every pool is full"
      => maigan/gpu takes none "full: memory of qos maigan: 585.94G held + 125G asked > 625G"
      => nothing waits
20:05 alice routes B array=0-2 cpus=8 mem=125G gpus-per-node=1 limit=30:00 device=gpu
      => B[0] go to clive/gpu, B[1-2] go to maigan/gpu, 3 of B run

story: Both healthy: in proportion, on GPUs and CPUs at once.
set qos.clive.GrpTRES=cpu=104,mem=831488M,gres/gpu=3
0:00  alice routes A array=0-12 cpus=8 mem=184320 gpus-per-node=1 limit=30:00 device=any
      => A[0-2] go to clive/gpu, A[3-6] go to clive/cpu, A[7-8] go to maigan/gpu
      => A[9-12] go to maigan/cpu, 13 of A run

story: What others let wait holds nothing.
set qos.clive.GrpTRES=cpu=104,mem=831488M,gres/gpu=3
0:00  drew submits N account=clive qos=clive array=0-99 cpus=8 mem=180G limit=30:00 hold
0:05  alice routes A array=0-4 cpus=8 mem=125G gpus-per-node=1 limit=30:00 device=gpu
      => A[0-2] go to clive/gpu, A[3-4] go to maigan/gpu

story: Only the accounts that are asked for.
0:00  alice routes A cpus=8 mem=1G limit=30:00 device=cpu accounts=clive
      => A goes to clive/cpu

story: A pool that fills up later loses its waiting tasks, when they have waited long enough.
set qos.clive.GrpTRES=cpu=104,mem=831488M,gres/gpu=3
0:00  alice submits A account=clive qos=clive partition=hpg-b200 array=0-1 cpus=8 mem=125G gpus-per-node=1 limit=30:00 hold
0:00  drew submits N account=clive qos=clive cpus=8 mem=700G limit=30:00  => N starts
0:10  alice releases A     => A waits QOSGrpMemLimit
0:20  alice rebalances     => A waits QOSGrpMemLimit
1:10  alice rebalances     => A goes to maigan/gpu, A[0-1] run
1:15  alice rebalances     => nothing waits
