# A small cluster with something to see in every view: teams with limits, jobs that run, wait and
# have failed, arrays, a chain with two rounds, and names that try to be more than text. Sourced by
# scripts that have sourced tests/scripts/embedded.sh.
# shellcheck shell=bash
web_scene() {
  local user
  user=$(id -un)
  cat > "$SLUICE_HOME/policy.yaml" <<P
cluster: rivers
nodes:
  - {name: 'gpu[1-2]', cpus: 32, memory: 128G, gpus: 4}
  - {name: 'cpu[1-4]', cpus: 48, memory: 96G}
partitions:
  main: {nodes: all, default: yes, default_mem_per_cpu: 100M}
qos:
  research: {Priority: 10000, GrpTRES: gres/gpu=6, Flags: [DenyOnLimit]}
  interactive: {Priority: 5000, GrpTRES: 'gres/gpu=2,cpu=16', MaxWall: 1h}
  batch: {Priority: 100, MaxJobsPerUser: 100}
accounts:
  science:
    shares: 500
    accounts:
      genomics: {shares: 300, qos: [research, interactive], users: [$user]}
      climate: {shares: 200, qos: [batch, interactive], users: [$user]}
  teaching: {shares: 100, qos: [batch], users: [$user]}
priority: {weight_qos: 10000, weight_fairshare: 5000, weight_age: 1000}
enforce: [associations, limits, qos]
P
  printf '#!/bin/sh\nfor i in $(seq 400); do echo "epoch $i loss 0.$((9000 / (i + 3)))"; sleep 1; done\n' > train.sh
  printf '#!/bin/sh\necho "reading chunk $SLURM_ARRAY_TASK_ID"\n[ $((SLURM_ARRAY_TASK_ID %% 9)) -ne 4 ] || { echo "Traceback: no such sample: s$SLURM_ARRAY_TASK_ID.bam" >&2; exit 1; }\nsleep 0.3\n' > align.sh
  cat > big.sh <<'J'
#!/bin/sh
# Needs more than the ladder's first level.
[ "${SLURM_MEM_PER_NODE:-0}" -ge 200 ] || { [ $((SLURM_ARRAY_TASK_ID % 4)) -ne 0 ] || exit 137; }
[ "$SLURM_ARRAY_TASK_ID" -ne 7 ] || { echo "assemble: contig 7 is empty" >&2; exit 1; }
echo "assembled $SLURM_ARRAY_TASK_ID"
J
  chmod +x ./*.sh
  limited daemon start > /dev/null
  local n
  submit -J align -A climate -q batch --array=0-17 -o 'align_%a.out' ./align.sh > /dev/null
  submit -J hello -A teaching -q batch --wrap 'echo hello' > /dev/null
  for n in 1 2 3 4 5; do submit -J "train-$n" -A genomics -q research --gres=gpu:1 -c 4 --mem=16G -t 2:00:00 ./train.sh > /dev/null; done
  submit -J notebook -A genomics -q interactive --gres=gpu:1 -c 8 --mem=8G -t 45 -o nb.out ./train.sh > /dev/null
  submit -J finetune-large -A genomics -q research --gres=gpu:2 -c 8 --mem=64G -t 4:00:00 ./train.sh > /dev/null
  submit -J sweep -A climate -q batch --array=0-199%40 -c 4 --mem=2G -t 30 --wrap 'sleep 300' > /dev/null
  submit -J collect -A climate -q batch --dependency=afterok:2 --hold --wrap 'echo collected' > /dev/null
  submit -J tomorrow -A teaching -q batch --begin=now+2hours --wrap 'echo later' > /dev/null
  submit -J '<script>document.title="owned"</script>' -A teaching -q batch --comment '<img src=x onerror=alert(1)>' --wrap 'printf "\033[31m<b>red</b>\n</pre><script>document.title=1</script>\n"; printf "10%% done\r20%% done\r30%% done\n"; sleep 300' > /dev/null
  submit -J "$(printf 'esc\033]0;owned\007ape')" -A teaching -q batch --wrap 'sleep 300' > /dev/null
  chain=$(limited submit --chain --no-wait -J assemble -A climate -q batch --array=0-23 --mem=100M \
    ./big.sh)
}
