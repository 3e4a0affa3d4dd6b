"""Affine pieces along a segment: exact against sampling, closed forms and polynomials' limits."""

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError, NotApplicableError
from corollary.models.folding import folding_layer
from corollary.theory.expressivity.regions.line import (
    affine_pieces,
    count_affine_pieces,
    sampled_pieces,
)


def random_net(widths, seed) -> nn.Sequential:
    rng, layers = generator(seed, "line"), []
    for a, b in zip((1, *widths), (*widths, 1), strict=True):
        layer = nn.Linear(a, b, dtype=torch.float64)
        layer.weight.data = torch.randn(b, a, generator=rng, dtype=torch.float64) * (2 / a) ** 0.5
        layer.bias.data = torch.randn(b, generator=rng, dtype=torch.float64)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("widths", [(5,), (6, 6), (4, 4, 4)])
def test_exact_and_sampled_counts_agree_for_random_networks(seed, widths):
    net = random_net(widths, seed)
    curve = affine_pieces(net, -3.0, 3.0)
    closest = float(curve.s.diff().min()) * 6
    points = min(int(6 / closest * 4), 400_000) + 3
    seen = sampled_pieces(net, -3.0, 3.0, points=points)
    assert seen <= curve.count
    if closest > 6 * 4 / 400_000:
        assert seen == curve.count


@pytest.mark.parametrize("seed", range(4))
def test_the_curve_is_the_network(seed):
    net = random_net((8, 8), seed)
    curve = affine_pieces(net, -3.0, 3.0)
    x = torch.rand(500, 1, generator=generator(seed), dtype=torch.float64)
    i = torch.searchsorted(curve.s, x[:, 0]).clamp(1, len(curve.s) - 1) - 1
    t = ((x[:, 0] - curve.s[i]) / (curve.s[i + 1] - curve.s[i]))[:, None]
    value = curve.values[i] + t * (curve.values[i + 1] - curve.values[i])
    torch.testing.assert_close(value, net(6 * x - 3).detach(), rtol=1e-9, atol=1e-10)
    assert bool((curve.slopes.diff(dim=0).abs().amax(dim=1) > 1e-9).all())


@pytest.mark.parametrize("k", [1, 3, 10, 16])
def test_a_deep_sawtooth_has_all_its_pieces(k):
    teeth = nn.Sequential(*(folding_layer(1, 2) for _ in range(k)))
    curve = affine_pieces(teeth, 0.0, 1.0)
    assert curve.count == 2**k
    assert torch.equal(curve.s, torch.arange(2**k + 1, dtype=torch.float64) / 2**k)
    assert torch.equal(curve.values[:, 0], torch.arange(2**k + 1, dtype=torch.float64) % 2)


def test_pieces_with_one_slope_are_merged():
    """relu(x) - relu(-x) = x: two activation patterns, one affine piece."""
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1)).double()
    net[0].weight.data, net[2].weight.data = torch.tensor([[1.0], [-1]]), torch.tensor([[1.0, -1]])
    net = net.double()
    net[0].bias.data.zero_()
    assert count_affine_pieces(net, -1.0, 1.0) == 1
    assert affine_pieces(net, -1.0, 1.0, merge=False).count == 2


def test_two_units_with_one_threshold_make_one_breakpoint():
    net = nn.Sequential(nn.Linear(1, 3), nn.ReLU(), nn.Linear(3, 1)).double()
    net[0].weight.data = torch.tensor([[1.0], [-3.0], [7.0]]).double()
    net[0].bias.data = -net[0].weight.data[:, 0] / 3
    assert affine_pieces(net, 0.0, 1.0, merge=False).count == 2


def test_a_segment_between_images_works_and_max_pools_are_followed():
    net = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(2, 2)
    )
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.randn(p.shape, generator=generator(i, "conv")))
    a, b = torch.randn(2, 1, 4, 4, generator=generator(0, "images"), dtype=torch.float64)
    curve = affine_pieces(net, a, b)
    x = a + torch.linspace(0, 1, 2001, dtype=torch.float64)[:, None, None, None] * (b - a)
    slope = net.double()(x).detach().diff(dim=0)
    bent = ((slope[1:] - slope[:-1]).abs() > 1e-9).any(dim=1).sum()
    assert curve.count - 1 <= int(bent) <= 2 * (curve.count - 1)


def test_functions_that_are_not_piecewise_linear_are_refused():
    with pytest.raises(NotApplicableError, match="'1' is a Sigmoid"):
        count_affine_pieces(nn.Sequential(nn.Linear(1, 1), nn.Sigmoid()), 0.0, 1.0)
    with pytest.raises(InputError, match="equal"):
        affine_pieces(nn.Linear(1, 1), 1.0, 1.0)
    with pytest.raises(InputError, match="does not take inputs of shape"):
        affine_pieces(nn.Linear(2, 1), 0.0, 1.0)
    with pytest.raises(InputError, match="points must be at least 3"):
        sampled_pieces(nn.Linear(1, 1), 0.0, 1.0, points=2)
