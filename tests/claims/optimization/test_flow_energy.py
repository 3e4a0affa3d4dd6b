import math

import pytest
import torch

from corollary.claims.optimization.flow_energy import FlowEnergy, Given
from corollary.core import Verdict


def bowl(eta):
    return Given(lambda x: 0.5 * (x**2).sum(), torch.ones(1, dtype=torch.float64), 1.0, eta)


def test_a_bowl_spends_what_the_exponential_says():
    result = FlowEnergy().check_given(bowl(0.0))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[-1].value == pytest.approx((1 - math.exp(-2)) / 2, rel=1e-8)


def test_steps_spend_more_than_they_gain():
    claim = FlowEnergy()
    assert claim.check_given(bowl(0.5)).verdict is Verdict.INAPPLICABLE
    assert claim.measure(bowl(0.5))[-1] > claim.predict(bowl(0.5))[-1]


def test_it_holds_for_a_drawn_landscape():
    assert FlowEnergy(d=4, T=1.0).check(1).verdict is Verdict.HOLDS
