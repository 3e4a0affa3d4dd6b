"""Cells merged by their affine maps, against hand counts, autograd and flood filling."""

import numpy as np
import pytest
import torch
from scipy import ndimage
from torch import nn

from corollary.errors import InputError
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.regions.plane import linear_regions


def layer(w, b) -> nn.Linear:
    made = nn.Linear(len(w[0]), len(w), dtype=torch.float64)
    made.weight.data, made.bias.data = torch.tensor(w).double(), torch.tensor(b).double()
    return made


def smaller_of_rectified():
    """min(relu x, relu y) = a - relu(a - b): zero on three quadrants, which is not convex."""
    first = layer([[1.0, 0], [0, 1]], [0.0, 0])
    keep = layer([[1.0, 0], [1, -1]], [0.0, 0])
    return nn.Sequential(first, nn.ReLU(), keep, nn.ReLU(), layer([[1.0, -1]], [0.0]))


def hat():
    """Zero, up, down and zero again, along x; the two ends have one map but do not touch."""
    first = layer([[1.0, 0], [1, 0], [1, 0]], [0.5, 0, -0.5])
    return nn.Sequential(first, nn.ReLU(), layer([[1.0, -2, 1]], [0.0]))


def without_effect():
    """Three units of which the output reads one."""
    first = layer([[1.0, 0], [0, 1], [1, 1]], [0.1, 0.2, 0.3])
    return nn.Sequential(first, nn.ReLU(), layer([[1.0, 0, 0]], [0.0]))


@pytest.mark.parametrize(
    ("net", "cells", "areas"),
    [
        (smaller_of_rectified(), 5, [0.5, 0.5, 3.0]),
        (hat(), 4, [1.0, 1.0, 1.0, 1.0]),
        (without_effect(), 7, [1.8, 2.2]),
    ],
    ids=["min", "hat", "no effect"],
)
def test_regions_are_counted_as_a_person_would(net, cells, areas):
    mosaic = linear_regions(net)
    regions = mosaic.merged_by_affine_map()
    assert mosaic.count == cells
    assert regions.count == len(areas)
    assert sorted(regions.areas.tolist()) == pytest.approx(areas)


def test_an_l_shaped_region_has_the_map_of_all_its_cells():
    regions = linear_regions(smaller_of_rectified()).merged_by_affine_map()
    largest = int(regions.areas.argmax())
    assert not regions.maps.slope[largest].any() and not regions.maps.offset[largest].any()
    lengths = (regions.bends[:, 0] - regions.bends[:, 1]).norm(dim=1)
    assert float(lengths.sum()) == pytest.approx(2 + 2**0.5)  # two half axes and a diagonal


def random_net(seed, widths=(10, 10), outputs=1):
    rng, layers = torch.Generator().manual_seed(seed), []
    for a, b in zip((2, *widths), widths, strict=False):
        made = nn.Linear(a, b, dtype=torch.float64)
        made.weight.data = torch.randn(b, a, generator=rng, dtype=torch.float64) * (2 / a) ** 0.5
        made.bias.data = 0.3 * torch.randn(b, generator=rng, dtype=torch.float64)
        layers += [made, nn.ReLU()]
    head = nn.Linear(widths[-1], outputs, dtype=torch.float64)
    head.weight.data = torch.randn(head.weight.shape, generator=rng, dtype=torch.float64)
    head.bias.data.zero_()
    return nn.Sequential(*layers, head)


def gradients(net, p):
    p = p.clone().requires_grad_()
    return torch.autograd.grad(net(p).sum(), p)[0]


@pytest.mark.parametrize("seed", range(6))
def test_autograd_has_one_gradient_on_a_region_and_others_beside_it(seed):
    net = random_net(seed, (4, 4))
    mosaic = linear_regions(net)
    regions = mosaic.merged_by_affine_map()
    g = gradients(net, mosaic.centres())
    assert torch.allclose(g, regions.maps.slope[regions.label][:, 0], atol=1e-12)
    a, b = mosaic.neighbours().pairs.unbind(1)
    apart = regions.label[a] != regions.label[b]
    assert bool(((g[a] - g[b]).norm(dim=1)[apart] > 1e-9).all())
    assert float(regions.areas.sum()) == pytest.approx(4.0)


@pytest.mark.parametrize("seed", range(4))
def test_flood_filling_a_picture_of_the_gradient_finds_as_many_large_regions(seed):
    """Each value of autograd's gradient on a fine grid is flood filled by SciPy."""
    net = random_net(seed, (3, 2))
    n = 400
    axis = (torch.arange(n, dtype=torch.float64) + 0.5) / n * 2 - 1
    grid = torch.cartesian_prod(axis, axis)
    g = gradients(net, grid).round(decimals=9) + 0.0
    _, value = np.unique(g.numpy(), axis=0, return_inverse=True)
    picture = value.reshape(n, n)
    sizes = [
        size * (2 / n) ** 2
        for v in range(picture.max() + 1)
        for size in np.bincount(ndimage.label(picture == v)[0].ravel())[1:]
    ]
    areas = linear_regions(net).merged_by_affine_map().areas.tolist()
    seen = sorted(s for s in sizes if s > 0.01)
    assert seen == pytest.approx(sorted(a for a in areas if a > 0.01), abs=0.02)


def test_a_line_bends_where_it_enters_another_region():
    """The merged pieces along a segment, which are computed layer by layer on it alone."""
    net = random_net(7, (8, 8))
    mosaic = linear_regions(net)
    regions = mosaic.merged_by_affine_map()
    start, end = torch.tensor([-0.9, -0.31]).double(), torch.tensor([0.8, 0.77]).double()
    line = affine_pieces(net, start, end)
    crossings = 0
    for p, q in regions.bends:
        sides = [
            float(torch.linalg.det(torch.stack([b - a, c - a])))
            for a, b, c in ((start, end, p), (start, end, q), (p, q, start), (p, q, end))
        ]
        crossings += sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0
    assert crossings == line.count - 1


def test_a_decision_boundary_is_no_bend():
    net = random_net(0, (6,), outputs=2)
    with torch.no_grad():  # a tie at the origin
        first, second = net(torch.zeros(1, 2).double())[0]
        net[-1].bias[0] = second - first
    plain, cut = (linear_regions(net, decision=d) for d in (False, True))
    assert cut.count > plain.count
    assert cut.merged_by_affine_map().count == plain.merged_by_affine_map().count


def test_a_tolerance_that_is_none_is_refused():
    with pytest.raises(InputError, match="between 0 and 1"):
        linear_regions(hat()).merged_by_affine_map(float("nan"))
