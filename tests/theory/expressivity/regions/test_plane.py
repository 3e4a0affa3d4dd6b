"""Linear regions on a plane against brute force, a peer's counts, and the network itself."""

import math

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from corollary.errors import InputError
from corollary.theory.expressivity.regions import plane
from corollary.theory.expressivity.regions.plane import linear_regions

BACKENDS = ("numba", "torch")
UNIT = torch.tensor([[0.0, 0], [1, 0], [1, 1], [0, 1]], dtype=torch.float64)


def random_relu(widths, seed, activation=nn.ReLU) -> nn.Sequential:
    """Hidden layers on two inputs with He's weights and biases of size 0.3."""
    rng, layers = torch.Generator().manual_seed(seed), []
    for a, b in zip((2, *widths), widths, strict=False):
        layer = nn.Linear(a, b, dtype=torch.float64)
        layer.weight.data = torch.randn(b, a, generator=rng, dtype=torch.float64) * (2 / a) ** 0.5
        layer.bias.data = 0.3 * torch.randn(b, generator=rng, dtype=torch.float64)
        layers += [layer, activation()]
    return nn.Sequential(*layers)


def layer(w, b) -> nn.Linear:
    made = nn.Linear(len(w[0]), len(w), dtype=torch.float64)
    made.weight.data, made.bias.data = torch.tensor(w).double(), torch.tensor(b).double()
    return made


def brute_force(net, r=1.0) -> int:
    """Regions one by one: clip each by each line of the affine map it has so far."""
    square = np.array([[-r, -r], [r, -r], [r, r], [-r, r]])
    regions = [(square, np.eye(2), np.zeros(2))]
    for linear in net[::2]:
        w, b = linear.weight.detach().numpy(), linear.bias.detach().numpy()
        grown = []
        for polygon, A, c in regions:
            pieces = [(polygon, np.zeros(0))]
            for row, offset in zip(w @ A, w @ c + b, strict=True):
                pieces = [q for p, on in pieces for q in split(p, on, row, offset)]
            for p, on in pieces:
                grown.append((p, on[:, None] * (w @ A), on * (w @ c + b)))
        regions = grown
    return len(regions)


def split(p, on, row, offset):
    z = p @ row + offset
    z[np.abs(z) < 1e-11] = 0
    if z.min() >= 0 or z.max() <= 0:
        return [(p, np.append(on, float(z.max() > 0)))]
    out = []
    for side in (1.0, -1.0):
        corners = []
        for i in range(len(p)):
            j = (i + 1) % len(p)
            if side * z[i] >= 0:
                corners.append(p[i])
            if z[i] * z[j] < 0:
                corners.append(p[i] + z[i] / (z[i] - z[j]) * (p[j] - p[i]))
        out.append((np.array(corners), np.append(on, float(side > 0))))
    return out


# -- counts ---------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    widths=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    backend=st.sampled_from(BACKENDS),
)
@example(seed=0, widths=[5, 5, 5], backend="numba")
def test_the_count_is_that_of_brute_force(seed, widths, backend):
    net = random_relu(widths, seed)
    mosaic = linear_regions(net, backend=backend)
    assert mosaic.count == brute_force(net)
    assert float(mosaic.areas().sum()) == pytest.approx(4.0, rel=1e-9)


@pytest.mark.parametrize(
    ("widths", "seed", "count"),
    [
        ((32,), 0, 437),
        ((64,), 1, 1601),
        ((16, 16), 2, 378),
        ((32, 32), 3, 1053),
        ((64, 32), 4, 3519),
        ((32, 32, 32), 5, 2541),
        ((48, 48, 48), 6, 6542),
        ((64, 64, 64), 7, 13945),
        ((16,) * 8, 8, 5097),
        ((100, 50), 9, 7858),
    ],
)
def test_the_count_is_that_of_edge_subdivision(widths, seed, count):
    """Counts E - V + 1 of relu_edge_subdivision (Berzins, 2023) in double precision."""
    assert linear_regions(random_relu(widths, seed)).count == count


@pytest.mark.parametrize("widths", [(24,), (12, 12, 12), (5, 20, 5)])
def test_both_paths_give_the_same_cells(widths):
    fast, plain = (linear_regions(random_relu(widths, 3), backend=b) for b in BACKENDS)
    assert fast.count == plain.count
    key = [np.lexsort(m.patterns().numpy().T) for m in (fast, plain)]
    a, b = (m.patterns()[k] for m, k in zip((fast, plain), key, strict=True))
    assert torch.equal(a, b)
    torch.testing.assert_close(fast.areas()[key[0]], plain.areas()[key[1]], rtol=1e-6, atol=1e-12)
    assert len(fast.cells.vertices) == len(plain.cells.vertices)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("widths", [(20,), (10, 10), (16, 16, 16)])
def test_polygons_tile_the_square_and_maps_are_the_network(check_mosaic, widths, backend):
    net = random_relu(widths, 11)
    mosaic = linear_regions(net, backend=backend)
    check_mosaic(mosaic, net)
    assert len(torch.unique(mosaic.patterns(), dim=0)) == mosaic.count <= 2 ** sum(widths)


def test_neighbours_differ_in_one_unit_and_euler_counts_the_edges():
    mosaic = linear_regions(random_relu((12, 12), 5))
    pairs, segments, hamming = mosaic.neighbours()
    assert set(hamming.tolist()) == {1}
    low, _, _ = mosaic.cells.edges()
    assert mosaic.count == len(low) - len(mosaic.cells.vertices) + 1
    slope, offset = mosaic.maps()
    ends = segments.reshape(-1, 2)
    for side in (0, 1):  # the two maps agree on the common edge
        region = pairs[:, side].repeat_interleave(2)
        value = (slope[region] @ ends[:, :, None])[:, :, 0] + offset[region]
        one = value if side == 0 else one  # noqa: F821
    torch.testing.assert_close(one, value, atol=1e-9, rtol=1e-9)


def test_what_is_too_large_to_keep_is_computed_afresh_to_the_same_cells(monkeypatch):
    net = random_relu((12, 12, 12), 9)
    kept = linear_regions(net)
    monkeypatch.setattr(plane, "KEPT", 0)
    monkeypatch.setattr(plane, "BLOCK", 100)
    afresh = linear_regions(net)
    assert afresh.count == kept.count
    torch.testing.assert_close(afresh.areas(), kept.areas(), rtol=1e-6, atol=1e-12)


# -- degenerate geometry --------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("w", "b", "count"),
    [
        ([[0.0, 0], [0, 0]], [0.0, 1.0], 1),  # zero weights
        ([[1.0, 0], [2, 0], [1, 0]], [0.0, 0.0, -0.5], 3),  # one line twice, and a parallel one
        ([[1.0, 0], [0, 1], [1, 1]], [0.0, 0.0, 0.0], 6),  # three lines through a point
        ([[1.0, 0], [0, 1], [1, 1], [1, -1]], [0.0, 0, 0, 0], 8),  # four, two through corners
        ([[1.0, 0]], [1.0], 1),  # along an edge of the square
        ([[1.0, 1.0]], [2.0], 1),  # touches a corner
        ([[1.0, 1.0]], [0.0], 2),  # through two corners
        ([[1.0, 0]], [5.0], 1),  # misses the square
        ([[-1.0, 0], [1, 0]], [0.0, 0.0], 2),  # the same line from both sides
    ],
)
def test_degenerate_lines_are_counted_as_a_person_would(check_mosaic, w, b, count, backend):
    net = nn.Sequential(layer(w, b), nn.ReLU())
    mosaic = linear_regions(net, backend=backend)
    assert mosaic.count == count
    check_mosaic(mosaic, net)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_second_layer_through_old_vertices_makes_no_slivers(backend):
    """|x| + |y| - 1: four lines of the second layer meet the axes where they meet each other."""
    first = layer([[1.0, 0], [-1, 0], [0, 1], [0, -1]], [0.0, 0, 0, 0])
    net = nn.Sequential(first, nn.ReLU(), layer([[1.0, 1, 1, 1]], [-1.0]), nn.ReLU())
    mosaic = linear_regions(net, 2.0, backend=backend)
    assert mosaic.count == 8
    assert sorted(round(a, 12) for a in mosaic.areas().tolist()) == [0.5] * 4 + [3.5] * 4


@pytest.mark.parametrize("backend", BACKENDS)
def test_dead_units_cut_nothing(backend):
    net = random_relu((10, 10), 2)
    whole = linear_regions(net, backend=backend).count
    more = nn.Sequential(nn.Linear(2, 13), nn.ReLU(), nn.Linear(13, 10), nn.ReLU()).double()
    with torch.no_grad():
        more[0].weight.zero_()
        more[0].bias.fill_(-1.0)  # never on
        more[0].weight[:10], more[0].bias[:10] = net[0].weight, net[0].bias
        more[2].weight[:, :10], more[2].bias[:] = net[2].weight, net[2].bias
    assert linear_regions(more, backend=backend).count == whole


def test_a_network_without_bends_is_one_region(check_mosaic):
    mosaic = linear_regions(nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1)))
    assert mosaic.count == 1
    check_mosaic(mosaic, None)


def test_clipped_and_leaky_units_bend_where_they_should():
    clipped = nn.Sequential(layer([[1.0, 0]], [0.0]), nn.Hardtanh(-0.5, 0.25))
    assert sorted(linear_regions(clipped).areas().tolist()) == [1.0, 1.5, 1.5]
    six = nn.Sequential(layer([[10.0, 0]], [0.0]), nn.ReLU6())
    assert linear_regions(six).count == 3
    assert linear_regions(random_relu((9, 7), 1, nn.LeakyReLU)).count > 40


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_maximum_of_three_has_three_regions_not_four(check_mosaic, backend):
    net = nn.Sequential(
        layer([[1.0, 0], [-0.5, 1], [-0.5, -1]], [0.0, 0, 0]),
        nn.Unflatten(1, (1, 3)),
        nn.MaxPool1d(3),
    )
    mosaic = linear_regions(net, backend=backend)
    assert mosaic.count == 3
    check_mosaic(mosaic, net)


# -- polygons -------------------------------------------------------------------------------------


def test_any_convex_polygon_may_be_looked_at_in_either_direction(check_mosaic):
    net = random_relu((8, 8), 4)
    angle = torch.arange(5, dtype=torch.float64) * 2 * math.pi / 5
    pentagon = torch.stack([angle.cos(), angle.sin()], dim=1)
    area = 2.5 * math.sin(2 * math.pi / 5)
    check_mosaic(linear_regions(net, pentagon), net, area=area)
    assert linear_regions(net, pentagon).count == linear_regions(net, pentagon.flip(0)).count
    assert linear_regions(net, UNIT).count < linear_regions(net).count


@pytest.mark.parametrize(
    "bad", [[[0.0, 0], [1, 0]], [[0.0, 0], [1, 0], [2, 0]], [[0.0, 0], [2, 0], [0.5, 0.5], [0, 2]]]
)
def test_polygons_that_are_not_convex_are_refused(bad):
    with pytest.raises(InputError, match="convex"):
        linear_regions(random_relu((2,), 0), torch.tensor(bad).double())


# -- decisions ------------------------------------------------------------------------------------


def test_the_boundary_of_a_line_is_the_line():
    net = layer([[1.0, 1.0]], [-0.5])
    mosaic = linear_regions(net, decision=True)
    (segment,) = mosaic.boundary()
    assert mosaic.count == 2 and sorted(mosaic.classes().tolist()) == [0, 1]
    assert float((segment.sum(dim=1) - 0.5).abs().max()) < 1e-12
    assert float((segment[0] - segment[1]).norm()) == pytest.approx(1.5 * 2**0.5)


def test_three_classes_meet_in_a_point():
    net = layer([[1.0, 0], [-0.5, 1], [-0.5, -1]], [0.0, 0, 0])
    mosaic = linear_regions(net, decision=True)
    assert mosaic.count == 3 and len(mosaic.boundary()) == 3
    assert sorted(mosaic.classes().tolist()) == [0, 1, 2]
    with pytest.raises(InputError, match="decision=True"):
        linear_regions(net).boundary()


def test_the_network_is_undecided_on_its_boundary():
    net = nn.Sequential(*random_relu((12, 12), 6), layer([[1.0] * 6 + [-1.0] * 6], [0.0]))
    net[-1].bias.data -= net(torch.zeros(1, 2, dtype=torch.float64)).detach()[0]
    segments = linear_regions(net, decision=True).boundary()
    assert len(segments) > 5
    middle = segments.mean(dim=1)
    assert float(net(middle).detach().abs().max()) < 1e-9


# -- refusals -------------------------------------------------------------------------------------


def test_wrong_shapes_and_too_many_regions_are_explained():
    with pytest.raises(InputError, match="does not take inputs of shape"):
        linear_regions(nn.Linear(3, 1))
    with pytest.raises(InputError, match="more than limit=10"):
        linear_regions(random_relu((20,), 0), limit=10)
    with pytest.raises(InputError, match="span no plane"):
        linear_regions(nn.Linear(3, 1), basis=torch.ones(2, 3))
    bad = random_relu((3,), 0)
    bad[0].weight.data[0, 0] = math.nan
    with pytest.raises(InputError, match="not finite"):
        linear_regions(bad)
