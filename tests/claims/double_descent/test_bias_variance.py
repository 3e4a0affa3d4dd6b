import pytest
import torch

from corollary.claims.double_descent.bias_variance import BiasVariance, Given
from corollary.core import Verdict


def test_one_point_and_one_label_by_hand():
    """Inputs e1 always, n = 1, ridge 1: w is half the label; bias w*²/4, variance sigma²/4."""
    e1 = torch.tensor([[1.0, 0.0]], dtype=torch.float64).expand(3, 2).contiguous()
    w_star = torch.tensor([2.0, 0.0], dtype=torch.float64)
    given = Given(e1, w_star, 1.0, torch.zeros(3, dtype=torch.float64))
    result = BiasVariance(n=1, lam=1.0, sigma=1.0).check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(1.0 + 0.25)


@pytest.mark.parametrize("lam", [0.01, 0.3, 5.0])
def test_it_holds_for_any_strength_of_the_ridge(lam):
    assert BiasVariance(lam=lam, n=3).check(1).verdict is Verdict.HOLDS


def test_without_planted_labels_the_error_of_the_best_rule_is_missing():
    assert BiasVariance().refute(0).fails
