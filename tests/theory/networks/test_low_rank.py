import numpy as np
import pytest
import torch
from sklearn.decomposition import TruncatedSVD
from torch import nn

from corollary.errors import InputError
from corollary.theory.networks.low_rank import (
    best_low_rank,
    competitors,
    randomized_svd,
    tail_energy,
    truncated_svd,
)
from corollary.train import fit


@pytest.fixture
def X() -> torch.Tensor:
    rng = torch.Generator().manual_seed(0)
    return torch.randn(12, 9, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("r", [1, 4, 9])
def test_the_squared_residual_is_the_energy_of_the_tail(X, r):
    left = (X - truncated_svd(X, r).matrix()).square().sum().item()
    s = np.linalg.svd(X.numpy(), compute_uv=False)
    assert left == pytest.approx((s[r:] ** 2).sum(), rel=1e-10, abs=1e-24)
    assert tail_energy(X, r) == pytest.approx((s[r:] ** 2).sum(), rel=1e-10, abs=1e-24)


def test_a_matrix_of_rank_r_is_reproduced(X):
    low = X[:, :3] @ X[:3, :]
    torch.testing.assert_close(truncated_svd(low, 3).matrix(), low, rtol=1e-10, atol=1e-10)


def test_it_agrees_with_scikit_learn(X):
    theirs = TruncatedSVD(3, algorithm="arpack").fit(X.numpy())
    ours = truncated_svd(X, 3)
    np.testing.assert_allclose(ours.s.numpy(), theirs.singular_values_, rtol=1e-10)
    np.testing.assert_allclose(ours.Vt.abs().numpy(), np.abs(theirs.components_), atol=1e-8)


@pytest.mark.parametrize("r", [0, 10, -1])
def test_a_rank_out_of_range_is_refused(X, r):
    for function in (truncated_svd, best_low_rank):
        with pytest.raises(InputError, match="between 1 and 9"):
            function(X, r)


def test_the_random_form_is_exact_when_the_subspace_holds_the_range(X):
    low = X[:, :4] @ X[:4, :]
    found = randomized_svd(low, 4, oversample=2, power=0, rng=torch.Generator().manual_seed(0))
    torch.testing.assert_close(found.matrix(), low, rtol=1e-9, atol=1e-9)


def test_power_iterations_bring_the_random_form_to_the_optimum():
    rng = torch.Generator().manual_seed(0)
    X = torch.randn(60, 40, generator=rng, dtype=torch.float64)
    best = tail_energy(X, 5) ** 0.5

    def error(power: int) -> float:
        found = randomized_svd(X, 5, oversample=5, power=power, rng=torch.Generator())
        return (X - found.matrix()).norm().item()

    errors = [error(power) for power in (0, 2, 40)]
    assert errors[0] > errors[1] > errors[2] >= best * (1 - 1e-12)
    assert errors[2] == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_no_random_or_optimised_matrix_is_nearer(X, seed):
    best = best_low_rank(X, 3)
    tried = competitors(X, 3, sweeps=200, rng=torch.Generator().manual_seed(seed))
    assert tried.random.min() >= best.error - 1e-8
    assert tried.optimised.min() >= best.error - 1e-8
    assert tried.optimised[-1].item() == pytest.approx(best.error, rel=1e-8)


class Product(nn.Module):
    """``U V``, whatever the input."""

    def __init__(self, a: int, b: int, r: int, rng: torch.Generator) -> None:
        super().__init__()
        self.U = nn.Parameter(torch.randn(a, r, generator=rng, dtype=torch.float64))
        self.V = nn.Parameter(torch.randn(r, b, generator=rng, dtype=torch.float64))

    def forward(self, _: torch.Tensor) -> torch.Tensor:
        return self.U @ self.V


def test_gradient_descent_on_two_factors_ends_at_the_same_value(X):
    model = Product(12, 9, 2, torch.Generator().manual_seed(1))
    loss = lambda Y, target: 0.5 * (Y - target).square().sum()  # noqa: E731
    fit(model, (X, X), loss, lambda p: torch.optim.SGD(p, lr=0.02), steps=3000)
    with torch.no_grad():
        error = (X - model(X)).norm().item()
    best = best_low_rank(X, 2).error
    assert best - 1e-8 <= error <= best * (1 + 1e-6)


def test_tied_singular_values_have_several_minimisers_of_one_value():
    X = torch.diag(torch.tensor([3.0, 2.0, 2.0], dtype=torch.float64))
    best = best_low_rank(X, 2)
    one, other = torch.diag(X.new_tensor([3, 2, 0])), torch.diag(X.new_tensor([3, 0, 2]))
    assert not best.unique
    assert (X - one).norm() == (X - other).norm() == best.error == 2.0
    assert best_low_rank(X, 1).unique
    assert best_low_rank(X, 3).unique


def test_a_matrix_of_small_rank_is_its_own_unique_best(X):
    low = X[:, :2] @ X[:2, :]
    assert best_low_rank(low, 4).unique
    assert best_low_rank(low, 4).error == pytest.approx(0, abs=1e-12)
