"""Every public function with NaN, infinities, wrong shapes, types and None, one argument at a time.

In a process of its own, since this one checks shapes, which users do not.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.generalization.weight_spectra.layers import stable_rank
from corollary.theory.generalization.weight_spectra.power_law import power_law
from corollary.theory.robustness.certificates.operator_norms import matrix_norm
from corollary.theory.robustness.certificates.smoothing import Smoothed
from corollary.train.losses.zero_one import zero_one_of_margin

TOOLS = Path(__file__).parents[2] / "tools"
RAW = 0.02  # largest share of calls that may end in an error which is not a sentence of ours


def walked(tmp_path, record_property, *options):
    report = tmp_path / "bad_input.json"
    command = [sys.executable, "-m", "bad_input", "--json", report, *options]
    where = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(TOOLS), os.environ.get("PYTHONPATH", "")])
    }
    done = subprocess.run(command, capture_output=True, text=True, env=where)
    assert done.returncode == 0, done.stderr[-2000:]
    record_property("summary", done.stdout.strip())
    return json.loads(report.read_text())


def check(found):
    assert not found["swallowed"]  # NaN in, NaN out or a clear error
    assert not found["hung"]
    assert len(found["raw error"]) <= RAW * found["calls"]


@pytest.mark.budget(90)  # 2000 functions in one process: parts would each run all imports again
@pytest.mark.timeout(3600)  # of waiting, on a busy machine
def test_bad_input_gives_nan_or_a_sentence(tmp_path, record_property):
    found = walked(tmp_path, record_property)
    check(found)
    assert found["walked"] >= 0.8 * found["public"]  # the others have no example, or a slow one


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_more_calls_of_each_function_give_nan_or_a_sentence_too(tmp_path, record_property):
    check(walked(tmp_path, record_property, "--thorough"))


NAN = torch.tensor([[1.0, torch.nan], [0.0, 1.0]])


def test_a_network_of_nan_has_no_good_numbers():
    assert zero_one_of_margin(NAN[0]).isnan().tolist() == [False, True]
    assert stable_rank(NAN[0]) != stable_rank(NAN[0])


@pytest.mark.parametrize(
    "refused",
    [
        lambda: matrix_norm(NAN),  # looked for a bound without end
        lambda: power_law(torch.cat([torch.rand(100), NAN[0]])),
        lambda: Smoothed(0.5).certify(nn.Linear(2, 2), NAN, rng=torch.Generator()),
    ],
)
def test_nan_is_refused_where_nothing_can_be_said(refused):
    with pytest.raises(InputError, match="NaN"):
        refused()
