import pytest
import torch

from corollary.claims.networks.logistic_gradient import Given, LogisticGradient
from corollary.core import Verdict
from corollary.models.logistic_regression import LogisticRegression


def test_at_zero_weights_every_pattern_pulls_by_one_half():
    x, y = torch.eye(2).double(), torch.tensor([1.0, 0.0]).double()
    result = LogisticGradient().check_given(Given(LogisticRegression(2), x, y))
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == [-0.25, 0.25]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("d", [1, 40])
def test_it_holds_for_drawn_patterns(seed, d):
    assert LogisticGradient(d=d).check(seed).verdict is Verdict.HOLDS


def test_labels_minus_one_and_one_need_another_formula():
    refuted = LogisticGradient().refute(0)
    assert refuted.fails and refuted.broken == ("labels are 0 and 1",)
