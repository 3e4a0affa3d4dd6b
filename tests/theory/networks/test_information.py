import math

import pytest
import scipy.stats
import torch

from corollary.errors import InputError
from corollary.theory.networks.information import entropy, kl


def laws(n=50, k=6, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return torch.softmax(2 * torch.randn(n, k, generator=rng, dtype=torch.float64), 1)


def test_entropy_and_divergence_are_those_of_scipy():
    y, nu = laws(), laws(seed=1)
    expected = torch.from_numpy(scipy.stats.entropy(y.numpy(), axis=1))
    torch.testing.assert_close(entropy(y), expected)
    expected = torch.from_numpy(scipy.stats.entropy(y.numpy(), nu.numpy(), axis=1))
    torch.testing.assert_close(kl(y, nu), expected)


def test_the_divergence_is_positive_and_zero_only_between_equals():
    assert bool((kl(laws(), laws(seed=1)) > 0).all())
    torch.testing.assert_close(kl(laws(), laws()), torch.zeros(50).double(), rtol=0, atol=1e-15)


def test_missing_mass_costs_infinitely_much_and_no_mass_costs_nothing():
    sure, other = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
    assert kl(sure, other) == math.inf
    assert kl(sure, sure) == entropy(sure) == 0


@pytest.mark.parametrize("y", [[0.1, 0.1], [1.5, -0.5], [math.nan, 1.0], []])
def test_what_is_no_probability_vector_is_refused(y):
    with pytest.raises(InputError, match="sum to 1|no negative|probability vectors"):
        entropy(torch.tensor(y))
