import pytest
import torch

from corollary.claims.optimization.second_order_conditions import Given, SecondOrderConditions
from corollary.core import Verdict


def line(f, M, *r):
    one = torch.ones(1, 1, dtype=torch.float64)
    return Given(f, 0 * one[0], M, torch.tensor(r).double(), torch.cat([one, -one]))


def test_the_wall_is_attained_at_the_largest_radius_by_a_cubic():
    """x²/2 - x³/6 has λ = M = 1; at the radius 3/2 it is 9/16, and so is λr²/4."""
    result = SecondOrderConditions().check_given(
        line(lambda x: (x**2 / 2 - x**3 / 6).sum(), 1.0, 0.5, 1.5)
    )
    assert result.verdict is Verdict.HOLDS
    assert result.measured[1].value == pytest.approx(result.predicted[1]) == pytest.approx(9 / 16)


def test_a_quartic_is_a_minimum_that_the_condition_does_not_see():
    given = line(lambda x: (x**4).sum(), 1.0, 0.1)
    result = SecondOrderConditions().check_given(given)
    assert result.verdict is Verdict.INAPPLICABLE
    assert SecondOrderConditions().measure(given)[0] > 0


def test_a_slope_is_not_stationary():
    result = SecondOrderConditions().check_given(line(lambda x: (x + x**2).sum(), 1.0, 0.1))
    assert result.verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_bowls(seed):
    assert SecondOrderConditions(d=5, flattest=0.2).check(seed).verdict is Verdict.HOLDS
