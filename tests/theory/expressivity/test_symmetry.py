import pytest
import torch

from corollary.errors import InputError
from corollary.models.folding import folding_layer
from corollary.theory.expressivity.symmetry import (
    fold_parameters,
    folded_mean,
    shallow_parameters,
    symmetry_gain,
    zigzag,
)


def middles(n):
    return (torch.arange(n, dtype=torch.float64) + 0.5) / n


@pytest.mark.parametrize("p", [2, 3])
def test_the_zigzag_is_what_the_folding_layer_does(p):
    x, fold = middles(60), folding_layer(1, p)
    with torch.no_grad():
        twice = fold(fold(x[:, None]))[:, 0]
    torch.testing.assert_close(zigzag(x, p, 2), twice, rtol=0, atol=1e-12)
    assert sum(w.numel() for w in fold.parameters()) == fold_parameters(p)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_shallow_costs_grow_like_the_copies_and_deep_ones_linearly(k):
    g = torch.tensor([0.0, 1.0, 0.3, 0.9]).double()  # three pieces
    u = zigzag(middles(12 * 2**k), 2, k) * 3
    i = u.floor().clamp(max=2).long()
    y = g[i] + (u - i) * (g[i + 1] - g[i])
    cost = symmetry_gain(y, 2, k, error=1e-6)
    assert cost.shallow == shallow_parameters(3 * 2**k)
    assert cost.deep == min(cost.shallow, k * 7 + shallow_parameters(3))


def test_without_symmetry_nothing_is_gained():
    y = torch.randn(32, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    cost = symmetry_gain(y, 2, 3, error=1e-3)
    assert cost.folds == 0 and cost.deep == cost.shallow
    assert folded_mean(y, 2)[1] > 0.1


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="multiple"):
        symmetry_gain(middles(6), 2, 2, error=0.1)
    with pytest.raises(InputError, match="copies"):
        folded_mean(middles(6), 4)
    with pytest.raises(InputError, match="flanks"):
        zigzag(middles(6), 1, 1)
