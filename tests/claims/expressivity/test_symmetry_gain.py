import pytest

from corollary.claims.expressivity.symmetry_gain import SymmetryGain
from corollary.core import Verdict


@pytest.mark.parametrize(("p", "q", "folds"), [(2, 2, 4), (3, 3, 3), (2, 4, 3)])
def test_shallow_grows_like_the_copies_and_deep_linearly(p, q, folds):
    result = SymmetryGain(p=p, q=q, folds=folds).check(3)
    assert result.verdict is Verdict.HOLDS
    shallow = [m.value / 3 - 1 for m in result.measured[:folds]]
    assert shallow == [q * p**k for k in range(1, folds + 1)]


def test_without_symmetry_the_folds_are_of_no_use():
    found = SymmetryGain(folds=3).check(0, draw=False).counterexample
    values = [m.value for m in found.measured]
    assert found.fails and values[:3] == values[3:6] and values[6] == 1
