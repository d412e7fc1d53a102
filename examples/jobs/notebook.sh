#!/bin/sh
# A notebook in a job, and the line that reaches it from your own machine:
#   sluice submit examples/jobs/notebook.sh      then: sluice logs JOB -f
# With the options of any job: -A a,b for whichever account has room, --gres=gpu:1, --time=4:00:00.
#SBATCH --job-name=notebook --cpus-per-task=2 --mem=4G --time=2:00:00 --output=notebook-%j.log
# PORT, LOGIN (the machine that you log in to) and NOTEBOOK (the program) may be set beforehand.
notebook=${NOTEBOOK:-jupyter}
if ! command -v "${notebook%% *}" >/dev/null 2>&1; then
  echo "there is no $notebook here: load its module, or set NOTEBOOK" >&2
  exit 1
fi
# A port of one's own: two jobs on a node do not meet.
port=${PORT:-$((20000 + ${SLURM_JOB_ID:-$$} % 20000))}
node=$(hostname)
cat <<TEXT
The notebook runs in job ${SLURM_JOB_ID:-none} on $node until its time is over.
On your own machine type:
  ssh -N -L $port:$node:$port ${USER:-$(id -un)}@${LOGIN:-$node}
and open http://localhost:$port with the token below. End it with: sluice cancel ${SLURM_JOB_ID:-JOB}
TEXT
# On all interfaces of the node, as the line above needs; the token keeps others out.
exec "$notebook" lab --no-browser --ip=0.0.0.0 --port="$port"
