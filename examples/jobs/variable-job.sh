#!/bin/bash
# A task whose fate is known beforehand, to try a ladder with.
#
#   last digit of the index   what it does                  gets through with
#   0 to 4                    ends after 5 s                anything
#   5, 6                      takes 75 s                    2 minutes
#   7                         takes 150 s                   4 minutes
#   8                         fills 1536 MB                 2 GB
#   9                         takes 300 s                   8 minutes
#
# FAIL_TASKS=3:14   these tasks exit with code 1 (colons: --export splits at commas)
# FAIL_MOD=17       so do all whose index is a multiple of it, 0 included
# BEHAVIOUR=quick   all tasks do the same: quick, medium, slow, long or memory
# SECOND=0.1        how long a second is, where minutes should be seconds
# HOG_MB=1536       how much the memory hog fills
# HOG_HOLDS=0       for how many seconds at least, where it has to be seen doing so
#SBATCH --job-name=variable
set -u
index=${SLURM_ARRAY_TASK_ID:-0}

case ":${FAIL_TASKS:-}:" in
  *":$index:"*) echo "task $index: asked to fail" >&2; exit 1 ;;
esac
if [ -n "${FAIL_MOD:-}" ] && [ $((index % FAIL_MOD)) -eq 0 ]; then
  echo "task $index: asked to fail, as a multiple of $FAIL_MOD" >&2
  exit 1
fi

behaviours=(quick quick quick quick quick medium medium slow memory long)
behaviour=${BEHAVIOUR:-${behaviours[$((index % 10))]}}
take() { sleep "$(awk -v n="$1" -v unit="${SECOND:-1}" 'BEGIN { print n * unit }')"; }
case $behaviour in
  quick) take 5 ;;
  medium) take 75 ;;
  slow) take 150 ;;
  long) take 300 ;;
  # tail keeps a line without an end in memory.
  memory) (head -c "${HOG_MB:-1536}M" /dev/zero; sleep "${HOG_HOLDS:-0}") | tail > /dev/null && take 5 ;;
  *) echo "task $index: no behaviour '$behaviour'" >&2; exit 2 ;;
esac
status=$?
echo "task $index: $behaviour, exit code $status, level ${SLUICE_LEVEL:-1}"
exit "$status"
