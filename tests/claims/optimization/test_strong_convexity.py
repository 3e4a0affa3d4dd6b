import pytest
import torch

from corollary.claims.optimization.strong_convexity import WAY, Given, StrongConvexity
from corollary.core import Verdict


def along(f, step: float) -> Given:
    delta = torch.full((1, 1), step, dtype=torch.float64)
    return Given(f, 0 * delta, delta, (WAY * delta)[None])


def test_a_parabola_attains_the_bound():
    result = StrongConvexity().check_given(along(lambda x: 3 * x.square().sum(), 2.0))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(12.0) == result.measured[0].value


def test_a_quartic_is_not_strongly_convex_where_its_curvature_vanishes():
    result = StrongConvexity().check_given(along(lambda x: (x**4).sum(), 1.0))
    assert (result.predicted[0], result.measured[0].value) == (0.0, 1.0)


@pytest.mark.parametrize("d", [1, 5])
def test_it_holds_in_other_dimensions(d):
    assert StrongConvexity(d=d, n=10).check(1).verdict is Verdict.HOLDS
