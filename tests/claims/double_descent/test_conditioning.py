import pytest

from corollary.claims.double_descent.lower_edge import LowerEdge
from corollary.claims.double_descent.square_conditioning import SquareConditioning
from corollary.core import Verdict


@pytest.mark.parametrize("ratio", [0.25, 4.0])
def test_the_edge_is_reached_on_both_sides(ratio):
    claim = LowerEdge(ratio=ratio, sizes=(16, 32, 64, 128), draws=20)
    assert claim.check(1).verdict is Verdict.HOLDS


def test_near_the_square_the_edge_is_not_claimed():
    assert LowerEdge(ratio=1.0).check(0).verdict is Verdict.INAPPLICABLE


def test_at_the_square_the_exponent_is_one_half():
    result = SquareConditioning().check(2)
    assert result.verdict is Verdict.HOLDS and result.predicted == (-0.5,)


def test_other_shapes_do_not_shrink():
    assert SquareConditioning().refute(0).fails
