import pytest
import torch
from torch import nn

from corollary.core import Severity
from corollary.errors import InputError
from corollary.testing import assert_sound

X = torch.randn(64, 2, generator=torch.Generator().manual_seed(0))
DATA = X, (X[:, 0] > 0).long()
TWICE = nn.Sequential(nn.Linear(2, 2), nn.Softmax(dim=1))
ONLY = ["soundness/double_softmax", "soundness/finite"]


def test_a_sound_network_passes_and_gives_its_examination():
    done = assert_sound(nn.Linear(2, 2), DATA, only=ONLY)
    assert done.effort == "quick" and {f.exam for f in done.findings} == set(ONLY)


def test_the_error_reads_as_cause_evidence_and_change():
    with pytest.raises(AssertionError) as error:
        assert_sound(TWICE, DATA, only=ONLY)
    head, _, cause, *rest = str(error.value).splitlines()
    assert head == "Sequential is not sound: 1 cause of severity high or more"
    assert cause.startswith("1. ✗ Softmax is applied twice") and "(confirmed)" in cause
    assert any("-> Return the logits" in line for line in rest)
    assert "+ return logits" in str(error.value)


def test_the_threshold_decides():
    clumsy = X.clone()
    clumsy[:, 0] += 40.0  # far from centred: a finding that is not high
    done = assert_sound(nn.Linear(2, 2), (clumsy, DATA[1]), only="soundness/inputs")
    assert done.worst() in (Severity.LOW, Severity.MEDIUM)
    with pytest.raises(AssertionError, match="1 cause of severity low or more"):
        assert_sound(nn.Linear(2, 2), (clumsy, DATA[1]), only="soundness/inputs", fail_on="low")
    with pytest.raises(InputError, match="low, medium or high, got 'severe'"):
        assert_sound(TWICE, DATA, fail_on="severe")


def test_nothing_answered_is_not_sound():
    with pytest.raises(AssertionError, match="no exam gave an answer\nsoundness/padding: "):
        assert_sound(TWICE, DATA, only="soundness/padding")
