import pytest
import torch

from corollary.claims.optimization.strong_convexity_implies_pl import (
    Given,
    StrongConvexityImpliesPl,
    quartic,
)
from corollary.core import Verdict


def test_the_flattest_direction_of_a_bowl_attains_it():
    x = torch.tensor([[2.0, 0.0], [0.0, 2.0]]).double()
    given = Given(lambda x: 0.5 * (x[0] ** 2 + 3 * x[1] ** 2), 1.0, 0.0, x)
    result = StrongConvexityImpliesPl().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == pytest.approx([2.0, 6.0])
    assert [m.value for m in result.measured] == pytest.approx([2.0, 18.0])


def test_a_quartic_is_convex_and_does_not_satisfy_the_condition():
    claim = StrongConvexityImpliesPl()
    given = quartic()
    assert claim.measure(given)[0] == pytest.approx(8e-6)
    assert claim.predict(given)[0] == pytest.approx(1e-4)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_functions(seed):
    assert StrongConvexityImpliesPl(d=4, n=8, mu=2.0).check(seed).verdict is Verdict.HOLDS
