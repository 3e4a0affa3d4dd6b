import pytest

from corollary.claims.double_descent.min_norm_risk import MinNormRisk
from corollary.core import Verdict


@pytest.mark.parametrize("n, p", [(5, 20), (20, 60)])
def test_it_holds_for_other_sizes(n, p):
    claim = MinNormRisk(n=n, p=p, draws=2000)
    assert claim.check_given(claim.draw(1), seed=1, draw=False).verdict is Verdict.HOLDS


def test_the_numbers_of_ten_points_and_forty_parameters():
    claim = MinNormRisk()
    assert claim.predict(claim.draw(0)) == pytest.approx((0.5625, 0.75, 10 / 29))
