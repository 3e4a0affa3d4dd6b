import math

import pytest
import torch

from corollary.core.witness import mean_is, mean_square_is, near


def draws(n=10_000):
    return torch.randn(n, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_draws_have_the_mean_and_the_mean_square_of_their_law_and_no_other():
    assert mean_is(draws())[0] and mean_square_is(draws(), 1.0)[0]
    assert not mean_is(draws(), 0.1)[0] and not mean_square_is(draws(), 1.2)[0]


@pytest.mark.parametrize("mean", [0.0, 2.0])
def test_constant_values_have_their_own_mean_only(mean):
    assert mean_is(torch.full((5,), 2.0), mean)[0] == (mean == 2.0)


def test_near_tells_how_far_off_the_worst_entry_is():
    assert near(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5])) == (False, "off by 0.5")
    assert near(torch.tensor([math.nan]), 1.0)[0] is False
