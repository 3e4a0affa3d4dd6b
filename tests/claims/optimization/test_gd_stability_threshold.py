import pytest
import torch

from corollary.claims.optimization.gd_stability_threshold import GdStabilityThreshold, Given
from corollary.core import Verdict


def test_curvatures_one_and_ten_allow_steps_up_to_a_fifth():
    """The notes ask for less than a tenth."""
    Q = torch.diag(torch.tensor([1.0, 10.0]).double())
    result = GdStabilityThreshold().check_given(Given(Q))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(0.2, rel=1e-9)


def test_a_saddle_has_no_stable_step():
    refuted = GdStabilityThreshold().refute(1)
    assert refuted.fails and refuted.broken == ("Q is positive definite",)


@pytest.mark.parametrize("kappa", [1.0, 3.0, 300.0])
def test_it_holds_at_each_condition_number(kappa):
    assert GdStabilityThreshold(d=4, kappa=kappa).check(1).verdict is Verdict.HOLDS
