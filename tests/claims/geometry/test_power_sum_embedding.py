import pytest
import torch

from corollary.claims.geometry.power_sum_embedding import Given, PowerSumEmbedding
from corollary.core import Verdict
from corollary.theory.geometry.multisets import power_sums


def test_one_two_three_by_hand():
    """p = (6, 14, 36), e = (6, 11, 6), and the roots of t^3 - 6 t^2 + 11 t - 6."""
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    given = Given(x, torch.tensor([6.0, 14.0, 36.0]).double())
    assert torch.equal(given.p, power_sums(x, 3))
    assert PowerSumEmbedding().check_given(given).verdict is Verdict.HOLDS


@pytest.mark.parametrize("M", [1, 2, 5, 9])
def test_it_holds_for_drawn_sets(M):
    assert PowerSumEmbedding(M=M).check(4).verdict is Verdict.HOLDS


def test_too_few_sums_do_not_determine_the_set():
    refuted = PowerSumEmbedding().refute(0)
    assert refuted.fails and refuted.broken == ("all M sums belong to the same set",)
