import pytest
import torch

from corollary.claims.expressivity.space_folding import Given, SpaceFolding
from corollary.core import Verdict, generator
from corollary.models.folding import folding_layer


def test_one_line_and_one_fold_along_each_axis_make_eight_regions():
    """g cuts the square in two; folded once along each axis there are 2 x 2 copies."""
    claim = SpaceFolding(p=2, m=1)
    result = claim.check(0)
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == [8, 4]


@pytest.mark.parametrize("p", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_functions(p, seed):
    assert SpaceFolding(p=p).check(seed).verdict is Verdict.HOLDS


def test_a_fold_at_the_wrong_place_identifies_nothing():
    claim = SpaceFolding(p=2)
    _, g, p = claim.given(generator(0))
    crooked = folding_layer(2, 2)
    with torch.no_grad():
        crooked[0].bias.mul_(0.9)
    assert claim.check_given(Given(crooked, g, p)).verdict is Verdict.INAPPLICABLE
    assert claim.refute(0).fails
