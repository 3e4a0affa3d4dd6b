import pytest

from corollary.claims.double_descent.min_norm_risk import MinNormRisk
from corollary.core import Verdict


@pytest.mark.parametrize("n, p", [(5, 20), (20, 60)])
def test_it_holds_for_other_sizes(n, p):
    assert MinNormRisk(n=n, p=p, draws=2000).check(1).verdict is Verdict.HOLDS


def test_the_numbers_of_ten_points_and_forty_parameters():
    assert MinNormRisk().check(0).predicted == pytest.approx((0.5625, 0.75, 10 / 29))


def test_strong_and_weak_features_have_another_risk():
    assert MinNormRisk().refute(1).fails
