"""Runs `sluice test --on slurm` so that nothing is left behind, whatever ends the script.

A signal is passed on: sluice then takes its cluster down and ends. Where even that does not happen,
the cluster notices that sluice is gone and takes itself down (tests/slurm/lab, --owner).
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
SLUICE = pathlib.Path(os.environ.get("SLUICE", ROOT / "build/sluice"))
running = set()
lock = threading.Lock()
stopped = threading.Event()


def end_on_signals():
    """Called once by a script, before it tells anything."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


def interrupt(number, _frame):
    # The handler runs once: a second Ctrl-C cannot keep a cluster from being taken down.
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    stopped.set()
    told = list(running)
    for process in told:
        process.terminate()
    for process in told:
        process.wait()
    sys.exit(128 + number)


def tell(files, *options):
    """(exit code, what --json printed or None, standard error) for these story files."""
    with lock:
        if stopped.is_set():
            return 143, None, ""
        # A group of its own: Ctrl-C reaches sluice through us, once.
        process = subprocess.Popen([SLUICE, "test", "--on", "slurm", "--json", *options, *files],
                                   cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        running.add(process)
    try:
        output, error = process.communicate()
    finally:
        with lock:
            running.discard(process)
    result = json.loads(output) if process.returncode in (0, 1) and output.strip() else None
    return process.returncode, result, error


def install():
    """Whether Slurm is there, or could be installed."""
    return subprocess.run([ROOT / "tests/slurm/install"], cwd=ROOT).returncode == 0
