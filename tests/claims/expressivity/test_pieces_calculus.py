import pytest

from corollary.claims.expressivity.pieces_calculus import PiecesCalculus
from corollary.core import Verdict


def test_roofs_attain_both_bounds():
    claim = PiecesCalculus()
    result = claim.check_given(claim.tight())
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == list(result.predicted) == [4, 3]


@pytest.mark.parametrize("pieces", [2, 3, 50])
def test_it_holds_for_drawn_functions_and_fails_for_clipped_units(pieces):
    result = PiecesCalculus(pieces=pieces, K=3).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.counterexample.fails
