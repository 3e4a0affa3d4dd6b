import pytest
import torch

from corollary.claims.prerequisites.smooth_iff_curvature import Given, SmoothIffCurvature
from corollary.core import Verdict


def test_one_point_attains_a_quarter_at_the_origin():
    one = torch.ones(1, 1, dtype=torch.float64)
    given = Given(one, lambda m: torch.nn.functional.softplus(-m), -1e-4 * one, 1e-4 * one)
    result = SmoothIffCurvature().check_given(given)
    assert result.verdict is Verdict.HOLDS and result.predicted == pytest.approx((0.5e-4,))
    assert result.ratio == pytest.approx(1.0)


def test_the_hinge_loss_has_no_smoothness_constant():
    refuted = SmoothIffCurvature().refute(0)
    assert refuted.fails and refuted.broken == ("the loss has curvature at most 1/4",)


@pytest.mark.parametrize("d", [1, 3, 20])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_data(seed, d):
    assert SmoothIffCurvature(d=d).check(seed).verdict is Verdict.HOLDS
