import pytest

from corollary.claims.double_descent.lower_edge import LowerEdge
from corollary.core import Verdict


@pytest.mark.parametrize("ratio", [0.25, 4.0])
def test_the_edge_is_reached_on_both_sides(ratio):
    claim = LowerEdge(ratio=ratio, sizes=(16, 64, 128, 256), draws=20)
    assert claim.check_given(claim.draw(1), seed=1).verdict is Verdict.HOLDS


def test_near_the_square_the_edge_is_not_claimed():
    assert LowerEdge(ratio=1.0).check(0).verdict is Verdict.INAPPLICABLE
