import pytest
import torch

from corollary.claims.optimization.gd_nonconvex import GdNonconvex, Given
from corollary.core import Verdict


def test_a_bowl_attains_the_bound_at_its_first_step():
    """x²/2 from 1 with η = 1: the gradient is 1, and 2·(1/2)/1 is 1."""
    given = Given(lambda x: 0.5 * (x**2).sum(), 1.0, 0.0, torch.ones(1).double(), 1.0)
    result = GdNonconvex(k=2).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([1, 1 / 2, 1 / 3])
    assert [m.value for m in result.measured] == pytest.approx([1, 0, 0])


def test_an_endless_slope_keeps_its_gradient():
    refuted = GdNonconvex().refute(0)
    assert refuted.fails and refuted.broken == ("f is bounded below by the stated bound",)


def test_at_a_saddle_the_bound_holds_and_the_value_stays():
    given = Given(
        lambda x: 2 + torch.cos(x[0]) - torch.cos(x[1]), 1.0, 0.0, torch.zeros(2).double(), 1.0
    )
    assert GdNonconvex(k=5).check_given(given).verdict is Verdict.HOLDS
    assert GdNonconvex(k=5).measure(given) == [0.0] * 6


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_landscapes(seed):
    assert GdNonconvex(d=5, m=10, share=0.5).check(seed).verdict is Verdict.HOLDS
