import pytest

from corollary.claims.double_descent.descent_path import DescentPath
from corollary.core import Verdict


@pytest.mark.parametrize("n, p", [(20, 5), (5, 20), (12, 12)])
def test_it_holds_on_both_sides_of_the_threshold(n, p):
    claim = DescentPath(n=n, p=p, steps=500)
    assert claim.check_given(claim.draw(1)).verdict is Verdict.HOLDS


def test_at_the_threshold_the_risk_has_its_least_value_on_the_way():
    risks = [r.value for r in DescentPath().check(0, draw=False).measured]
    assert min(risks) < risks[-1] / 5
