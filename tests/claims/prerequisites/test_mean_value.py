import pytest
import torch

from corollary.claims.prerequisites.mean_value import Given, MeanValue
from corollary.core import Verdict

ONE = torch.ones(1, dtype=torch.float64)


def test_a_parabola_has_its_mean_slope_half_way():
    result = MeanValue().check_given(Given(torch.square, ONE, 2 * ONE))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (8.0,) and result.measured[0].value == pytest.approx(8.0)


def test_on_the_circle_there_is_no_mean_value():
    around, across = MeanValue().check(0, draw=False).counterexamples
    assert around.fails and around.broken == ("f takes real values",)
    assert across.fails and abs(across.measured[0].value) == pytest.approx(4.0)


def test_a_kink_in_the_middle_is_inapplicable():
    result = MeanValue().check_given(Given(torch.abs, -ONE, 2 * ONE))
    assert result.verdict is Verdict.INAPPLICABLE


@pytest.mark.parametrize("d", [1, 4, 10])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_waves(seed, d):
    assert MeanValue(d=d).check(seed).verdict is Verdict.HOLDS
