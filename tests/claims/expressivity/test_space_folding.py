import pytest

from corollary.claims.expressivity.space_folding import SpaceFolding
from corollary.core import Verdict
from corollary.models.folding import folding_layer


def test_one_line_and_one_fold_along_each_axis_make_eight_regions():
    """g cuts the square in two; folded once along each axis there are 2 x 2 copies."""
    result = SpaceFolding(p=2, m=1).check(0)
    assert result.verdict is Verdict.HOLDS
    assert [r.value for r in result.measured] == [8, 4]


@pytest.mark.parametrize("p", [2, 5])
def test_it_holds_for_other_folds(p):
    assert SpaceFolding(p=p).check(0, draw=False).verdict is Verdict.HOLDS


def test_a_fold_at_the_wrong_place_identifies_nothing():
    claim, crooked = SpaceFolding(p=2), folding_layer(2, 2)
    crooked[0].bias.data.mul_(0.9)
    given = claim.draw(0)._replace(fold=crooked)
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
