import pytest

from corollary.claims.optimization.gd_convex import GdConvex
from corollary.core import Verdict


@pytest.mark.parametrize("k", [5, 50])
def test_the_worst_huber_function_keeps_half_of_the_bound(k):
    result = GdConvex(k=k).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[-1].value == pytest.approx(9 / (4 * k + 2))
    assert result.predicted[-1] == pytest.approx(9 / (2 * k))


def test_on_top_of_a_hill_nothing_moves():
    refuted = GdConvex().refute(0)
    assert refuted.fails and refuted.broken == ("f is convex",)


@pytest.mark.parametrize("problem", ["Huber", "log-sum-exp", "logistic"])
@pytest.mark.parametrize("share", [0.4, 1.0])
def test_it_holds_for_each_function(problem, share):
    assert GdConvex(problem=problem, d=3, k=25, share=share).check(1).verdict is Verdict.HOLDS
