import pytest
import torch
from torch import nn

from corollary.claims.robustness.certified_training import CertifiedTraining, Given, Trained
from corollary.core import Verdict, generator

CLAIM = CertifiedTraining(draws=2, n=20)


def constant(score: float) -> nn.Module:
    """Says class 0 with this margin, whatever it is shown."""
    net = nn.Linear(64, 10).double()
    with torch.no_grad():
        net.weight.zero_()
        net.bias.zero_()
        net.bias[0] = score
    return net.requires_grad_(False)


def given(eps: float = 0.1, third: float = 1.0) -> Given:
    nets = Trained(constant(0.0), constant(0.0), constant(third))
    return Given((nets, nets), torch.rand(20, 64).double(), torch.zeros(20).long(), eps)


def test_what_never_changes_its_mind_is_proved_and_a_tie_is_not():
    result = CLAIM.check_given(given())
    assert result.verdict is Verdict.HOLDS
    assert [reading.value for reading in result.measured] == [1.0, 1.0]
    assert CLAIM.check_given(given(third=0.0)).verdict is Verdict.FAILS


def test_another_radius_of_training_is_a_broken_hypothesis():
    assert CLAIM.check_given(given(eps=0.05)).verdict is Verdict.INAPPLICABLE


def test_the_three_networks_start_from_the_same_weights():
    nets = CertifiedTraining(width=10, L=1, steps=50, draws=2).trained_in_three_ways(generator(0))
    biases = torch.stack([next(net.parameters()).flatten()[:5] for net in nets])
    assert biases.std(0).max() < 0.5  # 50 steps of 0.005 part them by no more
    assert not torch.equal(biases[0], biases[2])


@pytest.mark.slow
def test_it_holds_at_another_radius():
    assert CertifiedTraining(eps=0.13).check(1).verdict is Verdict.HOLDS
