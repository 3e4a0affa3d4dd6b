import inspect

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.models.deep_sets import DeepSets, pooled
from corollary.models.equivariant_sets import EquivariantDeepSets, EquivariantLinear
from corollary.models.mlp import MLP
from corollary.theory.geometry.multisets import power_sums
from corollary.train import fit


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize("pool", ["sum", "mean", "max"])
def test_the_order_of_the_elements_does_not_matter_and_their_number_is_free(pool, rng):
    model = DeepSets.of_widths([2, 16, 8], [8, 16, 3], pool, rng=rng)
    for M in (1, 5, 40):
        x = torch.randn(M, 2, generator=rng, dtype=torch.float64)
        other = x[torch.randperm(M, generator=rng)]
        assert torch.allclose(model(x), model(other), rtol=1e-6)
        assert model(x).shape == (3,)


@pytest.mark.parametrize("pool", ["sum", "mean", "max"])
def test_a_mask_makes_sets_of_different_sizes_share_a_tensor(pool, rng):
    model = DeepSets.of_widths([2, 8, 4], [4, 2], pool, rng=rng)
    x = torch.randn(2, 6, 2, generator=rng, dtype=torch.float64)
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    both = model(x, mask)
    assert torch.allclose(both[0], model(x[0])) and torch.allclose(both[1], model(x[1, :4]))


def total(x):
    return x.sum(dim=1)


def maximum(x):
    return x.amax(dim=1)


def variance(x):
    return x.var(dim=1, correction=0)


@pytest.mark.parametrize("target", [total, maximum, variance])
def test_it_learns_sum_maximum_and_variance_of_sets(target, rng):
    x = 2 * torch.rand(256, 4, 1, generator=rng, dtype=torch.float64) - 1
    y = target(x)
    model = DeepSets.of_widths([1, 32, 16], [16, 32, 1], rng=rng)
    fit(model, (x, y), F.mse_loss, lambda p: torch.optim.Adam(p, lr=1e-2), steps=200)
    assert float(F.mse_loss(model(x).detach(), y)) < 0.1 * float(y.var())


def test_power_sums_are_a_deep_set(rng):
    x = torch.randn(5, 1, generator=rng, dtype=torch.float64)
    model = DeepSets(lambda x: torch.cat([x**k for k in range(1, 6)], dim=-1), nn.Identity())
    assert torch.allclose(model(x), power_sums(x[:, 0], 5))


def test_an_empty_set_has_a_sum_and_no_maximum(rng):
    nothing = torch.zeros(0, 3, dtype=torch.float64)
    assert pooled(nothing, "sum").tolist() == [0.0] * 3
    with pytest.raises(InputError, match="an empty set"):
        pooled(nothing, "max")
    with pytest.raises(InputError, match="sum, mean or max"):
        inspect.unwrap(pooled)(nothing, "median")
    with pytest.raises(InputError, match="phi has 4 outputs"):
        DeepSets.of_widths([2, 4], [5, 1], rng=rng)


def test_the_linear_layer_is_lambda_and_gamma(rng):
    layer = EquivariantLinear(3, 2, rng=rng)
    x = torch.randn(4, 5, 3, generator=rng, dtype=torch.float64)
    want = torch.stack([x[:, m] @ layer.Lambda.T + x.sum(1) @ layer.Gamma.T for m in range(5)], 1)
    assert torch.allclose(layer(x), want + layer.b)


def test_equivariant_deep_sets_read_each_element_and_the_sum(rng):
    phi, rho = MLP([2, 8, 4], rng=rng), MLP([6, 8, 3], rng=rng)
    model = EquivariantDeepSets(phi, rho)
    x = torch.randn(5, 2, generator=rng, dtype=torch.float64)
    total = phi(x).sum(0)
    want = torch.stack([rho(torch.cat([row, total])) for row in x])
    assert torch.allclose(model(x), want)
    perm = torch.randperm(5, generator=rng)
    assert torch.allclose(model(x[perm]), model(x)[perm])
