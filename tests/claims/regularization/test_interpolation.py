import pytest
import torch

from corollary.claims.regularization.interpolation_rate import Given, InterpolationRate
from corollary.claims.regularization.shortest_interpolator import ShortestInterpolator
from corollary.claims.regularization.solution_line import SolutionLine
from corollary.core import Verdict


def test_the_rate_is_attained_with_one_equation():
    X = torch.tensor([[1.0, 0.0]]).double()
    given = Given(X, torch.zeros(1).double(), torch.ones(2).double(), 0.25)
    result = InterpolationRate(steps=4).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([0.5, 0.25, 0.125, 0.0625])
    assert result.predicted == pytest.approx((0.5, 0.25, 0.125, 0.0625))


@pytest.mark.parametrize("seed", range(3))
def test_rates_hold_for_drawn_systems_and_fail_above_the_limit(seed):
    assert InterpolationRate().check(seed).verdict is Verdict.HOLDS
    assert InterpolationRate().refute(seed).fails


def test_three_four_five():
    from corollary.claims.regularization.shortest_interpolator import Given as Vectors

    X = torch.tensor([[1.0, 0.0]]).double()
    given = Vectors(X, torch.tensor([3.0, 7.0]).double(), torch.tensor([[0.0, 4.0]]).double())
    result = ShortestInterpolator().check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted == pytest.approx((25.0,))


def test_vectors_with_a_part_in_the_row_space_are_no_kernel_vectors():
    refuted = ShortestInterpolator().refute(0)
    assert refuted.fails and refuted.broken == ("the added vector lies in the kernel of X",)


@pytest.mark.parametrize("seed", range(3))
def test_lines_are_found_from_every_start(seed):
    assert SolutionLine(starts=3).check(seed).verdict is Verdict.HOLDS
    assert SolutionLine(starts=3).refute(seed).broken == ("the two planes are not parallel",)
