import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.folding import (
    absolute_layer,
    folding_layer,
    identified_sets,
    montufar_network,
)
from corollary.theory.expressivity.arrangements import count_regions, in_general_position
from corollary.theory.expressivity.bounds import montufar_lower, product_upper
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.regions.plane import linear_regions

SQUARE = torch.tensor([[0.0, 0], [1, 0], [1, 1], [0, 1]], dtype=torch.float64)


@pytest.mark.parametrize(("d", "p"), [(1, 2), (1, 5), (2, 3), (3, 2)])
def test_every_box_is_mapped_onto_the_cube(d, p):
    fold, boxes = folding_layer(d, p), identified_sets(d, p)
    assert len(boxes) == p**d
    q = torch.rand(50, d, generator=generator(0), dtype=torch.float64)
    low, high = boxes.unbind(1)
    mirrored = (low * p).round() % 2 == 1
    x = low[:, None] + torch.where(mirrored[:, None], 1 - q, q) * (high - low)[:, None]
    torch.testing.assert_close(fold(x).detach(), q.expand_as(x), rtol=1e-12, atol=1e-12)


def test_a_function_after_the_fold_has_all_its_symmetries():
    fold, g = folding_layer(2, 4), nn.Linear(2, 1, dtype=torch.float64)
    x = torch.rand(100, 2, generator=generator(0), dtype=torch.float64)
    value = g(fold(x)).detach()
    for mirror in (1 - x, torch.stack([1 - x[:, 0], x[:, 1]], 1), (0.5 - x).abs()):
        torch.testing.assert_close(g(fold(mirror)).detach(), value)


def test_the_absolute_value_makes_one_orthant_of_all():
    layer = absolute_layer(3)
    x = torch.randn(20, 3, generator=generator(0), dtype=torch.float64)
    assert torch.equal(layer(x).detach(), x.abs())
    mosaic = linear_regions(absolute_layer(2))
    assert mosaic.count == 4


@pytest.mark.parametrize("widths", [(4,), (2, 2), (4, 4), (5, 7), (4, 4, 4), (7, 6)])
def test_the_network_attains_the_bound_in_the_plane(widths):
    mosaic = linear_regions(montufar_network(2, widths), SQUARE)
    assert mosaic.count == montufar_lower(2, widths) <= product_upper(2, widths)
    pairs, _, _ = mosaic.neighbours()
    slope = mosaic.maps().slope
    across = (slope[pairs[:, 0]] - slope[pairs[:, 1]]).abs().amax(dim=(1, 2))
    assert float(across.min()) > 1e-6  # neighbours are different affine maps


@pytest.mark.parametrize("widths", [(4,), (3, 3), (3, 5, 2), (2, 2, 2, 2)])
def test_the_network_attains_the_bound_on_the_line(widths):
    curve = affine_pieces(montufar_network(1, widths), 0.0, 1.0)
    assert curve.count == montufar_lower(1, widths)


@pytest.mark.parametrize(("d", "n"), [(2, 6), (3, 6), (4, 6)])
def test_the_last_layer_is_in_general_position(d, n):
    first = montufar_network(d, [n])[0]
    W, b = first.weight.detach(), first.bias.detach()
    assert in_general_position(W, b, tolerance=1e-7)
    choices = torch.combinations(torch.arange(n), d)
    meet = torch.linalg.solve(W[choices], -b[choices])
    assert float(meet.min()) > 0 and float(meet.max()) < 1
    assert count_regions(W, b) == montufar_lower(d, [n])


def test_random_networks_have_far_fewer_regions():
    for seed in range(3):
        net = montufar_network(2, (8, 8, 8))
        with torch.no_grad():
            for p in net.parameters():
                p.copy_(torch.randn(p.shape, generator=generator(seed), dtype=p.dtype) / 2)
        assert linear_regions(net, 3.0).count < montufar_lower(2, (8, 8, 8)) / 10


def test_shapes_that_cannot_fold_are_refused():
    with pytest.raises(InputError, match="at least d=2"):
        montufar_network(2, [1, 4])
    with pytest.raises(InputError, match="p >= 1"):
        folding_layer(2, 0)
