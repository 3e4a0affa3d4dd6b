"""``corollary train``, as a user types it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from safetensors.torch import load_file

from corollary.cli import main

NET = """
import torch
from torch import nn

torch.manual_seed(0)


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def forward(self, x, other):
        return {"logits": self.layer(torch.cat([x, other], 1))}


def build():
    return nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))


def pair():
    x = torch.randn(100, 2)
    other = torch.randn(100, 2)
    return Pair(), ((x, other), (x.sum(1) + other.sum(1) > 0).long())


def line():
    x = torch.linspace(-1, 1, 64)[:, None]
    return nn.Linear(1, 1), (x, 3 * x)


def fresh():
    return torch.randn(100, 2), torch.randint(2, (100,))


def constant():
    return nn.Flatten()
"""


KEPT = ("--checkpoint", "run.st", "--out", "w.st")


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    (tmp_path / "net.py").write_text(NET)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, "net", None)  # to be forgotten afterwards
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """The command in this process, which has imported torch."""

    def call(*words: str, command: str = "train") -> Done:
        sys.modules.pop("net", None)
        monkeypatch.setattr(sys, "argv", ["corollary", command, *words])
        with pytest.raises(SystemExit) as stop:
            main()
        return Done(stop.value.code or 0, *capsys.readouterr())

    return call


def test_a_classifier_learns_with_a_step_size_that_is_chosen_for_it(run, folder):
    done = run("net.py:build", "--data", "two_moons", "--json", "t.json", "--out", "w.st")
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "t.json").read_text())
    low, high = found["lr_range"]
    assert low / 2 <= found["lr"] <= 2 * high
    assert found["lr"] < found["largest_stable_step"]
    assert found["held_out"]["samples"] == round(0.2 * 512)
    assert found["held_out"]["low"] < found["held_out"]["accuracy"] <= found["held_out"]["high"]
    assert found["learned"]["accuracy"] > 0.85
    assert found["losses"][0] > 1.5 * found["learned"]["loss"]
    assert len(found["losses"]) == found["steps"] == 20 * 7  # 410 samples in batches of 64
    assert set(load_file(folder / "w.st")) == {"0.weight", "0.bias", "2.weight", "2.bias"}
    assert "held out" in done.stdout and "largest stable" in done.stderr.replace("\n", " ")


def test_least_squares_is_solved_to_the_digits_that_theory_promises(run, folder):
    words = ("--steps", "300", "--batch-size", "64", "--momentum", "0", "--held-out", "0")
    done = run("net.py:line", *words, "--out", "w.st")
    assert done.returncode == 0, done.stderr
    weights = load_file(folder / "w.st")
    # lr = 1/lambda_max: the slower of the two modes contracts by 1 - 0.34 a step
    torch.testing.assert_close(weights["weight"], torch.tensor([[3.0]]), rtol=1e-5, atol=0)
    assert "accuracy" in done.stdout and "held out" not in done.stdout


def test_several_inputs_and_outputs_by_name_are_understood(run):
    done = run("net.py:pair", "--epochs", "3", "--optimizer", "adam", "--json", "-")
    found = json.loads(done.stdout)
    assert found["epochs"] == 3 and found["largest_stable_step"] > 0  # of Adam


def test_the_same_words_give_the_same_weights_also_after_a_resumption(run, folder):
    words = ("net.py:build", "--data", "two_moons", "--lr", "0.1")
    assert run(*words, "--steps", "30", "--out", "whole.st").returncode == 0
    part = (*words, "--checkpoint", "run.st")
    assert run(*part, "--steps", "11").returncode == 0
    refused = run(*part, "--steps", "30")
    assert refused.returncode == 2 and "exists already" in refused.stderr
    assert run(*part, "--steps", "30", "--resume", "--out", "parts.st").returncode == 0
    whole, parts = load_file(folder / "whole.st"), load_file(folder / "parts.st")
    assert all(torch.equal(whole[k], parts[k]) for k in whole)


@pytest.mark.slow
def test_weights_can_be_taken_up_by_another_run_and_by_an_examination(run):
    words = ("net.py:build", "--data", "two_moons")
    assert run(*words, "--epochs", "5", "--out", "w.st").returncode == 0
    again = run(*words, "--weights", "w.st", "--steps", "1", "--json", "-")
    assert json.loads(again.stdout)["losses"][0] < 0.6  # the first run began at log 2 or more
    other = run("net.py:line", "--weights", "w.st")
    assert other.returncode == 2 and "do not fit Linear" in other.stderr
    asked = ("--held-out", "net.py:fresh", "--only", "generalization/unseen", "--json", "-")
    examined = run(*words, "--weights", "w.st", *asked, command="examine")
    assert examined.returncode == 0, examined.stderr
    (finding,) = json.loads(examined.stdout)["findings"]
    assert "on 100 held-out ones" in finding["meaning"]


def test_a_run_that_ends_worse_than_it_began_says_so(run):
    done = run("net.py:line", "--lr", "1e4", "--epochs", "2")
    assert done.returncode == 3  # 1 is for what is refuted
    assert "Use a learning rate below" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("net.py:build",), "needs data"),
        (("gone.py:build",), "there is no file gone.py"),
        (("net.py:constant", "--data", "two_moons"), "it has no parameters"),
        (("net.py:build", "--data", "two_moons", "--epochs", "1", "--steps", "1"), "got both"),
        (("net.py:build", "--data", "two_moons", "--resume"), "needs --checkpoint"),
        (("net.py:build", "--data", "two_moons", "--lr", "-1"), "lr must be positive"),
        (("net.py:build", "--data", "digits"), "cannot be called with the data"),
        (("net.py:line", "--held-out", "0.95", "--data", "one.csv"), "leaves none of the"),
        (("net.py:build", "--data", "two_moons", "--out", "net.py/w"), "cannot be written"),
        (
            ("net.py:build", "--data", "two_moons", "--sharding", "fsdp2"),
            "start them with torchrun",
        ),
    ],
)
def test_a_mistake_gets_one_sentence_and_leaves_nothing(run, folder, words, told):
    (folder / "one.csv").write_text("1.0,0.5\n")
    done = run(*words)
    assert done.returncode == 2
    assert told in done.stderr and "Traceback" not in done.stderr
    assert {p.name for p in folder.iterdir()} <= {"net.py", "one.csv", "__pycache__"}


@pytest.mark.budget(3)  # a process of its own, which imports torch
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_ctrl_c_or_a_request_to_end_keeps_the_weights_so_far(folder, number):
    words = ("net.py:build", "--data", "two_moons", "--lr", "0.1", "--steps", "1000000")
    child = subprocess.Popen(
        [sys.executable, "-m", "corollary", "train", *words, *KEPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    ends = time.monotonic() + 600
    while not (folder / "run.st").exists() and time.monotonic() < ends:
        time.sleep(0.1)
    child.send_signal(number)
    said, _ = child.communicate(timeout=600)
    assert child.returncode == 130
    assert "interrupted" in said and (folder / "w.st").exists()
