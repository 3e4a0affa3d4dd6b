import pytest
import torch

from corollary.claims.optimization.gd_optimal_step import GdOptimalStep, Given
from corollary.core import Verdict


def test_curvatures_one_and_ten():
    """The printed bound (1 - kappa)^2 is 81 here; the rate is 0.669, and at most 0.81."""
    result = GdOptimalStep().check_given(Given(torch.diag(torch.tensor([1.0, 10.0]).double())))
    assert result.verdict is Verdict.HOLDS
    assert [m.value for m in result.measured] == pytest.approx([2 / 11, (9 / 11) ** 2], rel=1e-6)
    assert result.measured[1].value <= 0.81


def test_with_a_negative_curvature_the_formula_is_wrong():
    refuted = GdOptimalStep().refute(1)
    assert refuted.fails and refuted.broken == ("Q is positive definite",)


@pytest.mark.parametrize("kappa", [1.5, 100.0])
def test_it_holds_at_each_condition_number(kappa):
    assert GdOptimalStep(kappa=kappa).check(1).verdict is Verdict.HOLDS
