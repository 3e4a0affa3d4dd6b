import pytest
import torch

from corollary.claims.prerequisites.minimum_quadratic_bound import Given, MinimumQuadraticBound
from corollary.core import Verdict


def test_one_minus_cosine_at_pi_is_two_below_half_pi_squared():
    one = torch.ones(1, dtype=torch.float64)
    steps = torch.pi * one / torch.arange(1, 13)[:, None]  # every eleventh is looked at for L
    result = MinimumQuadraticBound().check_given(Given(one, 0 * one, steps, 1.0))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(2.0)
    assert result.predicted[0] == pytest.approx(torch.pi**2 / 2)


def test_from_a_slope_the_bound_is_broken():
    refuted = MinimumQuadraticBound().refute(0)
    assert refuted.fails and refuted.broken == ("the gradient vanishes at x*",)


@pytest.mark.parametrize("d", [1, 3, 10])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_frequencies(seed, d):
    assert MinimumQuadraticBound(d=d).check(seed).verdict is Verdict.HOLDS
