"""Exams and instruments on a second device: a strict one without hardware, CUDA and MPS."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import corollary

sys.path.insert(0, str(Path(__file__).parent))

from device_calls import CALLS
from small_networks import example

KINDS = ["mlp", "cnn", "lstm", "transformer"]
# An LSTM has another cell there: its work is counted as less, so exams look at more samples.
SAME_FINDINGS = ["mlp", "cnn", "transformer"]
DEVICES = [
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA")),
    pytest.param(
        "mps", marks=pytest.mark.skipif(not torch.backends.mps.is_available(), reason="no MPS")
    ),
]


def on_strict(*, float64=True, instruments=False, examine=(), only=None):
    order = {"float64": float64, "instruments": instruments, "examine": examine, "only": only}
    child = Path(__file__).with_name("child.py")
    run = subprocess.run(
        [sys.executable, str(child), json.dumps(order)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.budget(30)
@pytest.mark.parametrize(
    "float64",
    [
        pytest.param(True, marks=pytest.mark.slow, id="float64"),
        pytest.param(False, id="no float64"),
    ],
)
def test_instruments_run_on_a_second_device(float64):
    found = on_strict(float64=float64, instruments=True)["instruments"]
    assert {k: why for k, why in found.items() if why} == {}
    assert set(found) == set(CALLS)


def failures(found):
    return {k: said for k, said in found["strict"].items() if said.startswith("failed")}


@pytest.mark.budget(30)
def test_exams_of_soundness_find_the_same_on_a_second_device():
    found = on_strict(examine=["mlp"], only="soundness")["mlp"]
    assert failures(found) == {}
    assert found["strict"] == found["cpu"]


@pytest.mark.slow
@pytest.mark.parametrize("float64", [True, False], ids=["float64", "no float64"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_exams_find_the_same_on_a_second_device(kind, float64):
    found = on_strict(float64=float64, examine=[kind])[kind]
    assert failures(found) == {}
    if kind in SAME_FINDINGS:
        assert found["strict"] == found["cpu"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("call", CALLS)
def test_instruments_run_on_hardware(call, device):
    CALLS[call](torch.device(device))


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS)
def test_exams_run_on_hardware(kind, device):
    net, data = example(kind)
    done = corollary.examine(net.to(device), data, held_out=data, lr=0.01, effort="quick")
    assert [f.meaning for f in done.findings if f.status.value == "failed"] == []


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_exams_run_on_modules_in_half_precision(dtype):
    net, (x, y) = example("mlp")
    done = corollary.examine(net.to(dtype), (x.to(dtype), y), effort="quick", only="soundness")
    assert [f.meaning for f in done.findings if f.status.value == "failed"] == []


def test_exams_run_on_a_module_that_uses_autocast():
    class Mixed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = example("mlp")[0]

        def forward(self, x):
            with torch.autocast(x.device.type, dtype=torch.bfloat16):
                return self.net(x)

    done = corollary.examine(Mixed(), example("mlp")[1], effort="quick", only="soundness")
    assert [f.meaning for f in done.findings if f.status.value == "failed"] == []
