import pytest

from corollary.claims.double_descent.double_descent import DoubleDescent
from corollary.core import Verdict


@pytest.mark.parametrize("seed", range(2))
def test_random_features_and_coordinates_have_a_peak_at_n(seed):
    assert DoubleDescent(n=30, draws=15).check(seed).verdict is Verdict.HOLDS
    linear = DoubleDescent(model="linear", n=30, draws=15, ridge=0.1)
    assert linear.check(seed).verdict is Verdict.HOLDS


def test_the_peak_is_within_one_step_and_five_times_the_end():
    steps, end, fitted, ridged = (r.value for r in DoubleDescent().check(0).measured)
    assert steps <= 1 and end < 0.2 and fitted < 1e-12 and ridged < 0.2


def test_with_a_ridge_there_is_no_peak():
    refuted = DoubleDescent().refute(0)
    assert refuted.fails and refuted.broken
