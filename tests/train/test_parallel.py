"""Several processes train as one does.

One group of processes does all of ``together.py``; the tests look at what came of it.
"""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from corollary.train import Checkpoint
from corollary.train.team import Spare, part_of

# The processes are started once.
pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("together.py")
HERE = runpy.run_path(str(SCRIPT))
TEAMS = ("2 ddp", "2 fsdp2")
ROUNDING = 1e-12  # relative, in float64, after a dozen steps


def start(*words: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(SCRIPT), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def close(a: list, b: list) -> bool:
    return np.allclose(a, b, rtol=ROUNDING, atol=ROUNDING)


def together(folder: Path, size: int) -> list[dict]:
    """What each of several processes found, by team and subject."""
    (folder / "taken").write_text("")
    HERE["run"](steps=5, batch_size=8, checkpoint=Checkpoint(folder / "made by one"))
    processes = [start(str(folder), str(rank), str(size)) for rank in range(size)]
    said = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * size, "\n".join(said)
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(size)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("together")


@pytest.fixture(scope="module")
def found(folder) -> list[dict]:
    return together(folder, 2)


@pytest.fixture(params=TEAMS)
def team(request, found) -> list[dict]:
    return [one[request.param] for one in found if request.param in one]


@pytest.mark.parametrize("name", HERE["SCENARIOS"])
def test_any_number_of_processes_makes_the_same_steps(team, name):
    alone = HERE["outcome"]("none", **HERE["SCENARIOS"][name])
    for one in team:
        assert close(one[name]["losses"], alone["losses"])
        assert close(one[name]["weights"], alone["weights"])


def test_processes_hold_the_same_bits(team):
    for name in [*HERE["SCENARIOS"], "batchnorm", "stopped by one"]:
        assert all(one[name] == team[0][name] for one in team)


def test_a_checkpoint_goes_on_in_another_number_of_processes_and_another_sharding(team, folder):
    alone = HERE["outcome"]("none", batch_size=8)
    assert "made by one" in team[0]["checkpoints"]
    for one in team:
        for gone_on in one["checkpoints"].values():
            assert close(gone_on["losses"], alone["losses"])
            assert close(gone_on["weights"], alone["weights"])


@pytest.mark.parametrize("name", TEAMS)
def test_a_checkpoint_of_several_processes_goes_on_in_one(found, folder, name):
    assert name in found[0]
    keep = Checkpoint(folder / f"made by {name}", resume=True, every=None)
    gone_on, alone = (
        HERE["outcome"]("none", batch_size=8, **o) for o in ({"checkpoint": keep}, {})
    )
    assert close(gone_on["losses"], alone["losses"])
    assert close(gone_on["weights"], alone["weights"])
    assert not (folder / f"made by {name}.shards").exists()  # now all of it is in one file


def test_only_the_latest_shards_are_kept(found, folder):
    homes = list(folder.glob("2 fsdp2, after *.shards"))
    assert homes and all(len(list(home.iterdir())) == 1 for home in homes)


def test_one_process_may_ask_all_to_stop(team):
    for one in team:
        assert len(one["stopped by one"]["losses"]) == 4
        assert one["stopped by one"]["stopped"].endswith("this process has had enough")


def test_all_processes_say_where_one_of_them_left_the_finite_numbers(team):
    for row in range(2):
        (sentence,) = {one["not finite"][row] for one in team}
        assert sentence.startswith("NotFiniteError: the ") and "step 0" in sentence
        assert "although the outputs of all layers are" not in sentence


def test_what_several_processes_cannot_do_is_told_by_all_in_a_sentence(team, request):
    sharded = "fsdp2" in request.node.name
    for one in team:
        assert one["other data"].startswith("InputError: the processes of a run need the same data")
        assert one["taken"].startswith("InputError") and "exists already" in one["taken"]
        assert ("pass a function of the parameters" in one["ready optimizer"]) is sharded
        assert ("LBFGS needs the whole" in one["lbfgs"]) is sharded
        assert sharded or one["lbfgs"] == one["ready optimizer"] == "no error"


def test_the_model_is_given_back_as_it_came(team):
    assert all(one["given back"] for one in team)


def test_dropout_differs_between_processes_and_repeats_with_the_seed(team):
    assert team[0]["noise"][0] != team[1]["noise"][0]
    assert all(one["noise"][0] == one["noise"][1] for one in team)


def test_listeners_see_a_model_that_can_be_called(team):
    for one in team:
        assert len(one["batchnorm"]["metrics"]["validation"]) == 3  # epochs of 38 rows in twelves
        assert len(one["batchnorm"]["metrics"]["norm"]) == 4


def test_a_kernel_matrix_is_multiplied_by_all_together(team):
    assert all(close(one["products"], HERE["products"]()) for one in team)


def test_parts_of_a_batch_are_all_of_it():
    for n in range(1, 12):
        for count in range(1, 6):
            parts = [part_of((torch.arange(n),), i, count) for i in range(count)]
            mine = [part for part in parts if not isinstance(part, Spare)]
            assert torch.equal(torch.cat([part[0] for part in mine]), torch.arange(n))
            assert all(len(part[0]) >= min(n, 2) for part in parts)


def test_sharding_alone_is_refused_with_a_sentence():
    told = HERE["sentence"]("fsdp2")
    assert told.startswith("InputError: sharding='fsdp2' needs a process group")
    assert "to be 'ddp'" in HERE["sentence"]("zero")


@pytest.mark.slow
def test_three_processes_do_what_one_does_and_two_go_on_from_there(tmp_path):
    found = together(tmp_path, 3)
    for name, how in HERE["SCENARIOS"].items():
        alone = HERE["outcome"]("none", **how)
        for sharding in ("ddp", "fsdp2"):
            for one in found:
                assert close(one[f"3 {sharding}"][name]["losses"], alone["losses"])
                assert close(one[f"3 {sharding}"][name]["weights"], alone["weights"])
    alone = HERE["outcome"]("none", batch_size=8)
    for sharding in ("ddp", "fsdp2"):
        gone_on = found[0][f"2 {sharding}"]["checkpoints"]
        assert {"made by 3 ddp", "made by 3 fsdp2"} <= set(gone_on)
        assert all(close(one["weights"], alone["weights"]) for one in gone_on.values())
