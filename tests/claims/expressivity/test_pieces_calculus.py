import math

import pytest
import torch

from corollary.claims.expressivity.pieces_calculus import Given, PiecesCalculus
from corollary.core import Verdict
from corollary.theory.expressivity.piecewise import PiecewiseLinear


def roof(at: float) -> PiecewiseLinear:
    """1 - |x - at|: two pieces, four after the rectifier."""
    return PiecewiseLinear(torch.tensor([at]).double(), torch.tensor([1.0]).double(), 1.0, -1.0)


def test_roofs_attain_both_bounds():
    result = PiecesCalculus().check_given(Given((roof(0.0), roof(3.0)), (1.0, 1.0), math.inf))
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == list(result.predicted) == [4, 3]


def test_an_activation_with_two_bends_is_not_meant():
    result = PiecesCalculus().check_given(Given((roof(0.0),), (1.0,), 0.5))
    assert result.verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("pieces", [2, 3, 8, 50])
def test_it_holds_for_drawn_functions_and_fails_for_clipped_units(pieces):
    claim = PiecesCalculus(pieces=pieces, K=3)
    assert claim.check(0).verdict is Verdict.HOLDS
    refuted = claim.refute(0)
    assert refuted.fails and refuted.broken == ("the activation bends once",)
