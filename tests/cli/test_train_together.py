"""``corollary train`` under torchrun, as a user types it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

NET = """
import os
import torch
from torch import nn

torch.manual_seed(0)


def build():
    return nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))


class Mortal(nn.Linear):
    calls = 0

    def forward(self, x):
        self.calls += self.training
        if self.calls == 150 and os.environ["RANK"] == "1":
            os.kill(os.getpid(), 9)
        return super().forward(x)


def mortal():
    return Mortal(2, 2)


def unseeded():
    torch.seed()
    return torch.randn(100, 2), torch.randint(2, (100,))
"""
LONG = 900  # seconds: a loaded machine is slow
TRAIN = ("-m", "corollary", "train")
TORCHRUN = ("-m", "torch.distributed.run", "--nproc-per-node", "2")
MOONS = ("net.py:build", "--data", "two_moons")

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def ours(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What corollary has to say of an error, without what torchrun adds."""
    return [line for line in done.stderr.splitlines() if line.startswith("corollary: ")]


@pytest.mark.parametrize("sharding", ["ddp", "fsdp2"])
def test_two_processes_print_and_learn_what_one_does(folder, sharding):
    asked = ("--steps", "30", "--json", "found.json", "--out", "w.st")
    alone = run(folder, *TRAIN, *MOONS, *asked)
    before, weights = json.loads((folder / "found.json").read_text()), load_file(folder / "w.st")
    both = run(folder, *TORCHRUN, *TRAIN, *MOONS, *asked, "--sharding", sharding)
    assert both.returncode == 0, both.stderr
    found = json.loads((folder / "found.json").read_text())
    assert both.stdout == alone.stdout and alone.stderr in both.stderr
    assert both.stderr.count("training samples") == 1
    assert found["losses"] == pytest.approx(before["losses"], rel=1e-4)
    for name, weight in load_file(folder / "w.st").items():
        torch.testing.assert_close(weight, weights[name], rtol=1e-4, atol=1e-5)


def test_a_mistake_is_told_once(folder):
    gone = run(folder, *TORCHRUN, *TRAIN, "gone.py:build", "--data", "two_moons")
    assert ours(gone) == ["corollary: there is no file gone.py"] and gone.returncode != 0
    other = run(folder, *TORCHRUN, *TRAIN, "net.py:build", "--data", "net.py:unseeded")
    (told,) = ours(other)
    assert "need the same data" in told and "one seed" in told


def test_the_death_of_a_process_ends_the_run_with_a_sentence_and_it_can_go_on(folder):
    words = ("net.py:mortal", "--data", "two_moons", "--lr", "0.1", "--checkpoint", "run.st")
    done = run(folder, *TORCHRUN, *TRAIN, *words, "--steps", "300")
    (told,) = ours(done)
    assert "another process of the run has ended" in told and "checkpoint, run.st" in told
    alone = run(folder, *TRAIN, *words, "--steps", "110", "--resume", "--json", "-")
    assert json.loads(alone.stdout)["steps"] == 110  # of which a hundred were saved by both


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_torchrun_keeps_the_weights_so_far(folder, number):
    words = (*MOONS, "--lr", "0.1", "--steps", "1000000", "--checkpoint", "run.st", "--out", "w.st")
    child = subprocess.Popen(
        [sys.executable, *TORCHRUN, *TRAIN, *words],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    ends = time.monotonic() + LONG
    while not (folder / "run.st").exists() and child.poll() is None and time.monotonic() < ends:
        time.sleep(0.1)
    child.send_signal(number)
    said, _ = child.communicate(timeout=LONG)
    assert said.count("the run was interrupted") == 1 and (folder / "w.st").exists()
