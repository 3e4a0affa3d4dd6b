"""No process of a run outlives the one that started it, however that one ends."""

import os
import signal
import subprocess
import sys
import time

import pytest

CHILD = (
    "import sys, time; from corollary.run.workers import end_with_parent\n"
    "end_with_parent(int(sys.argv[1])); print('ready', flush=True); time.sleep(600)\n"
)
PARENT = (
    "import os, subprocess, sys, time\n"
    f"subprocess.Popen([sys.executable, '-c', {CHILD!r}, str(os.getpid())]); time.sleep(600)\n"
)
RUN = """
import os, sys, time
from pathlib import Path
from corollary.registry import Entry, find
from corollary.run.check import run

class Slow(Entry):
    def load(self):
        (Path(sys.argv[1]) / str(os.getpid())).touch()
        time.sleep(600)

novikoff = find("novikoff")
print("started", flush=True)
run([Slow(f"slow/{k}", novikoff.module, novikoff.path, "Slow.") for k in (1, 2)], jobs=2)
"""


def runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pids, seconds=15.0):
    ends = time.monotonic() + seconds
    while any(map(runs, pids)) and time.monotonic() < ends:
        time.sleep(0.05)
    return not any(map(runs, pids))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_ends_with_the_one_that_started_it(how):
    words = [sys.executable, "-c", PARENT]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline() == b"ready\n"
        parent.send_signal(how)
        assert parent.stdout.read() == b""  # the pipe closes once nobody holds it
    assert parent.returncode == -how


def test_a_process_whose_parent_has_gone_already_ends_at_once():
    done = subprocess.run([sys.executable, "-c", CHILD, "1"], timeout=60, capture_output=True)
    assert done.returncode == 1 and b"ready" not in done.stdout


@pytest.mark.slow  # three imports of torch
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_worker_of_a_run_outlives_it_and_a_pipe_on_stdout_closes(tmp_path, how):
    words = [sys.executable, "-c", RUN, tmp_path]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as parent:
        ends = time.monotonic() + 120
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < ends:
            time.sleep(0.1)
        workers = [int(p.name) for p in tmp_path.iterdir()]
        assert len(workers) == 2 and all(map(runs, workers))
        parent.send_signal(how)
        orphans = not gone(workers)
        for pid in workers if orphans else ():
            os.kill(pid, signal.SIGKILL)
        assert parent.stdout.read() == b"started\n"
    assert parent.returncode == -how and not orphans
