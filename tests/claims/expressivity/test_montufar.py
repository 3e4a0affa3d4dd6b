import pytest

from corollary.claims.expressivity.montufar import Montufar
from corollary.core import Verdict


@pytest.mark.parametrize(
    ("d", "n", "l", "count"), [(1, 3, 2, 12), (1, 2, 4, 24), (2, 4, 2, 44), (2, 5, 2, 64)]
)
def test_the_construction_attains_the_bound(d, n, l, count):
    result = Montufar(d=d, n=n, l=l).check(0, draw=False)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == result.predicted[0] == count


def test_random_weights_do_not_fold_and_zero_weights_have_one_region():
    """The theorem is about some network, not about every one."""
    random, zero = Montufar(n=4, l=2).check(0, draw=False).counterexamples
    assert "the folded boxes have the same outputs" in random.broken
    assert zero.measured[0].value == 1
