import pytest
import torch

from corollary.claims.optimization.nesterov_cost import NesterovCost
from corollary.claims.optimization.nesterov_rate import Given, NesterovRate
from corollary.core import Verdict


def test_on_a_round_bowl_of_the_right_step_one_step_is_enough():
    ones = torch.ones(2).double()
    result = NesterovRate(d=2, steps=2).check_given(Given(ones, 1.0, 1.0, ones, 0.0))
    assert [m.value for m in result.measured] == [1.0, 0.0, 0.0]
    assert list(result.predicted) == [2.0, 0.0, 0.0]


def test_walls_that_are_too_steep_throw_it_out():
    refuted = NesterovRate().refute(0)
    assert refuted.fails and "h is L-smooth" in refuted.broken


@pytest.mark.parametrize("kappa", [2.0, 30.0, 1e4])
@pytest.mark.parametrize("seed", range(2))
def test_the_rate_holds_for_every_condition_number(kappa, seed):
    assert NesterovRate(kappa=kappa, steps=60).check(seed).verdict is Verdict.HOLDS


def test_without_momentum_the_cost_is_the_condition_number():
    result = NesterovCost().check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(0.5, abs=0.1)
    assert result.counterexample.fails
    assert result.counterexample.broken == ("the momentum is (√κ − 1)/(√κ + 1)",)
