import pytest

from corollary.claims.expressivity.boolean_lookup import BooleanLookup
from corollary.claims.expressivity.symmetry_gain import SymmetryGain
from corollary.core import Verdict, generator


@pytest.mark.parametrize(("p", "q", "folds"), [(2, 2, 4), (3, 3, 3), (2, 4, 3)])
def test_shallow_grows_like_the_copies_and_deep_linearly(p, q, folds):
    result = SymmetryGain(p=p, q=q, folds=folds).check(3)
    assert result.verdict is Verdict.HOLDS
    shallow = [m.value / 3 - 1 for m in result.measured[:folds]]
    assert shallow == [q * p**k for k in range(1, folds + 1)]


def test_without_symmetry_the_folds_are_of_no_use():
    claim = SymmetryGain(folds=3)
    found = claim.measure(claim.counterexample(generator(0)))
    assert found[:3] == found[3:6] and found[6] == 1
    assert claim.refute(0).fails


@pytest.mark.parametrize("d", [1, 2, 10])
def test_tables_hold_in_other_dimensions(d):
    assert BooleanLookup(d=d).check(0).verdict is Verdict.HOLDS


def test_between_the_vertices_the_table_says_nothing():
    refuted = BooleanLookup(d=3).refute(0)
    assert refuted.fails and refuted.broken == ("the inputs are bits",)
