import math

import pytest
import torch

from corollary.claims.prerequisites.tail_integral import Given, Law, TailIntegral
from corollary.core import Verdict


def test_a_uniform_variable_on_zero_to_two_has_mean_one():
    law = Law(lambda x: 0.5, lambda t: min(1.0, max(1 - t / 2, 0.0)), 0.0, 2.0)
    result = TailIntegral().check_given(Given((law,)))
    assert result.verdict is Verdict.HOLDS and result.predicted[0] == pytest.approx(1.0)


def test_the_known_means():
    claim = TailIntegral(p=0.25)
    _, geometric, modulus = claim.measure(claim.given(torch.Generator()))
    assert geometric == pytest.approx(4.0) and modulus == pytest.approx(math.sqrt(2 / math.pi))


def test_negative_values_are_not_seen_by_the_tail():
    refuted = TailIntegral().refute(0)
    assert refuted.measured[0].value == pytest.approx(0.25)
    assert refuted.predicted[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("rate", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("p", [0.05, 0.95])
def test_it_holds_for_every_law(rate, p):
    assert TailIntegral(rate=rate, p=p).check(0).verdict is Verdict.HOLDS
