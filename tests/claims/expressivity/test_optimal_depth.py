import pytest

from corollary.claims.expressivity.optimal_depth import Given, OptimalDepth
from corollary.core import Verdict


def test_ten_units_want_seven_layers():
    """2m/e = 7.36; 7 log(20/7) = 7.348 beats 8 log(20/8) = 7.330."""
    result = OptimalDepth(m=10).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (pytest.approx(7.358, abs=1e-3),) * 2 + (7.0,)


@pytest.mark.parametrize("m", [2, 5, 33, 400])
def test_it_holds_for_any_number_of_units(m):
    assert OptimalDepth(m=m).check(0).verdict is Verdict.HOLDS


def test_with_two_units_per_layer_the_optimum_is_out_of_reach():
    assert OptimalDepth(m=40).check_given(Given(40, 20.0)).verdict is Verdict.INAPPLICABLE
