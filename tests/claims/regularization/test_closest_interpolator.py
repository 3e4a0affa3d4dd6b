import pytest
import torch

from corollary.claims.regularization.closest_interpolator import ClosestInterpolator, Given
from corollary.core import Verdict


def test_one_equation_is_met_at_the_foot_of_the_perpendicular():
    """x + y = 2 from (2, 2): all three methods end at (1, 1)."""
    given = Given(
        torch.ones(1, 2).double(),
        torch.tensor([2.0]).double(),
        torch.full((2,), 2.0).double(),
        0.5,
    )
    result = ClosestInterpolator(steps=200).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == pytest.approx((1.0,) * 6)


def test_a_repeated_row_does_not_apply():
    given = Given(
        torch.ones(2, 3).double(),
        torch.tensor([0.0, 1.0]).double(),
        torch.zeros(3).double(),
        0.5,
    )
    result = ClosestInterpolator().check_given(given)
    assert result.verdict is Verdict.INAPPLICABLE
    assert [h.holds for h in result.hypotheses] == [False, True]


def test_a_step_five_per_cent_too_long_diverges():
    _, long = ClosestInterpolator(steps=200).check(0, draw=False).counterexamples
    assert long.fails and long.broken == ("the step lies between 0 and n/λmax",)


@pytest.mark.parametrize("n,d", [(1, 2), (3, 5), (8, 30)])
def test_it_holds_for_drawn_systems(n, d):
    assert ClosestInterpolator(n=n, d=d, steps=900).check(1).verdict is Verdict.HOLDS
