# What the scripts about the embedded engine share: a daemon's folder of its own, and checks. Sourced.
# shellcheck shell=bash
sluice=$(realpath "${SLUICE:-build/sluice}")
# A command that hangs is a failure, not a wait.
limited() { timeout 600 "$sluice" "$@"; }
folder=$(mktemp -d)
export SLUICE_HOME=$folder/home NO_COLOR=1 COLUMNS=200
unset SLURM_JOB_ID SBATCH_PARTITION
mkdir -p "$SLUICE_HOME" "$folder/work"
cd "$folder/work" || exit 1
trap '"$sluice" daemon stop --cancel-jobs >/dev/null 2>&1; rm -rf "$folder"' EXIT
failures=0

check() { # title, command...: passes where the command does.
  local title=$1
  shift
  if "$@" > "$folder/said" 2>&1; then
    echo "ok - $title"
  else
    echo "not ok - $title"
    sed 's/^/  /' "$folder/said"
    failures=1
  fi
}
says() { # title, exit code, text, arguments of sluice...
  local title=$1 code=$2 text=$3 output actual
  shift 3
  output=$(limited "$@" 2>&1)
  actual=$?
  if [ "$actual" -eq "$code" ] && [[ "$output" == *"$text"* ]]; then
    echo "ok - $title"
  else
    echo "not ok - $title"
    echo "  sluice $*: expected exit $code and '$text'; got exit $actual and: $output"
    failures=1
  fi
}
same() { # title, expected, actual
  if [ "$2" == "$3" ]; then
    echo "ok - $1"
  else
    echo "not ok - $1"
    printf '  expected: %s\n  got:      %s\n' "$2" "$3"
    failures=1
  fi
}
field() { # JSON on standard input, an expression of Python with the value as v.
  python3 -c "import json, sys; v = json.load(sys.stdin); print($1)"
}
submit() { limited submit --parsable "$@"; }
wait_for() { # Until the job has ended.
  "$sluice" daemon start > /dev/null  # A daemon runs before a command waits for it.
  python3 - "$SLUICE_HOME/run/api.sock" "$1" "${2:-ended}" <<'P' > /dev/null
import http.client, socket, sys
class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(sys.argv[1])
c = Unix("sluice", timeout=60)
c.request("GET", f"/v1/jobs/{sys.argv[2]}?wait={sys.argv[3]}")
r = c.getresponse()
assert r.status == 200, r.read()
P
}
until_true() { # command...: tries it for five minutes at most.
  local _
  for _ in $(seq 3000); do
    "$@" > /dev/null 2>&1 && return
    sleep 0.1
  done
  echo "not ok - in five minutes: $*"
  failures=1
}
state_of() { "$sluice" job "$1" --json | field 'v["state"]'; }
