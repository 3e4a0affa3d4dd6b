import pytest
import torch
from torch import nn

from corollary.claims.geometry.order_invariance import Given, OrderInvariance
from corollary.core import Verdict
from corollary.models.deep_sets import DeepSets


@pytest.mark.parametrize("pool", ["sum", "mean", "max"])
@pytest.mark.parametrize("M", [1, 2, 15])
def test_it_holds_for_every_pooling_and_size(pool, M):
    assert OrderInvariance(M=M, pool=pool).check(1).verdict is Verdict.HOLDS


def test_the_sum_of_three_numbers_by_hand():
    X = torch.tensor([[1.0], [2.0], [4.0]], dtype=torch.float64)
    f = DeepSets(nn.Identity(), nn.Identity())
    result = OrderInvariance().check_given(Given(X, torch.tensor([[2, 0, 1]]), f))
    assert result.verdict is Verdict.HOLDS
    assert (result.predicted[0], result.measured[0].value) == (7.0, 7.0)


def test_reading_rows_in_turn_is_refuted():
    refuted = OrderInvariance().refute(2)
    assert refuted.fails and refuted.broken == ("f pools over the elements",)
