#!/bin/sh
# Runs on a GPU or on CPUs, whichever pool has room: sluice submit examples/jobs/either-device.sh
#SLUICE --device=any
#SBATCH --array=0-9 --gres=gpu:1 --cpus-per-task=8 --mem=16G --time=30
# The task finds in SLUICE_DEVICE where it was sent. A GPU that cannot be used is no reason to fail.
device=${SLUICE_DEVICE:-cpu}
if [ "$device" = gpu ] && ! nvidia-smi >/dev/null 2>&1; then
  echo "no usable GPU on $(hostname): running on CPUs" >&2
  device=cpu
fi
case $device in
  gpu) export JAX_PLATFORMS=cuda ;;
  cpu) export JAX_PLATFORMS=cpu CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS="${SLURM_CPUS_PER_TASK:-1}" ;;
esac
echo "task ${SLURM_ARRAY_TASK_ID:-0} in account ${SLUICE_ACCOUNT:-none} on $device"
