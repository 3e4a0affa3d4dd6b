"""Estimates against exact values: they converge, and their intervals cover."""

import pytest
import torch
from torch import Generator, nn

from corollary.errors import InputError
from corollary.theory.landscape.curvature import (
    Explicit,
    Landscape,
    diagonal,
    hessian,
    loss_slice,
    noise_scale,
    spectral_density,
    trace,
)

F64 = torch.float64


def network(seed, relu=False):
    """About 400 parameters, trained a little so that outliers appear."""
    g = Generator().manual_seed(seed)
    x = torch.randn(60, 10, generator=g, dtype=F64)
    y = torch.randint(0, 4, (60,), generator=g)
    x[torch.arange(60), y] += 2.0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = nn.Sequential(
            nn.Linear(10, 24), nn.ReLU() if relu else nn.Tanh(), nn.Linear(24, 4)
        )
    module.double()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.5)
    for _ in range(20):
        optimizer.zero_grad()
        nn.functional.cross_entropy(module(x), y).backward()
        optimizer.step()
    return Landscape(module, nn.CrossEntropyLoss(), (x, y))


@pytest.fixture(scope="module", params=[0, 1])
def H(request):
    return Explicit(hessian(network(request.param, relu=bool(request.param))).dense())


@pytest.mark.parametrize("rtol", [0.05, 0.02])
def test_intervals_of_the_trace_cover(H, rtol):
    exact = float(H.matrix.trace())
    found = [trace(H, rtol=rtol, rng=Generator().manual_seed(s)) for s in range(100)]
    assert sum(exact in t.estimate for t in found) >= 90
    assert all(t.estimate.half_width <= rtol * abs(t.estimate.value) for t in found)
    assert max(t.products for t in found) <= 200


def test_the_trace_is_exact_when_there_are_few_coordinates():
    found = trace(Explicit(torch.diag(torch.arange(150.0, dtype=F64))))
    assert found.estimate.low == found.estimate.high == pytest.approx(150 * 149 / 2)


def test_a_trace_near_zero_stops_at_the_budget_with_a_true_interval():
    g = Generator().manual_seed(0)
    B = torch.randn(300, 300, generator=g, dtype=F64)
    A = Explicit(B + B.T - torch.eye(300, dtype=F64) * 2 * B.trace() / 300)
    found = trace(A, max_products=60)
    assert found.products == 60
    assert abs(found.estimate.value) <= 3 * found.estimate.half_width
    with pytest.raises(InputError, match="at least 20"):
        trace(A, max_products=5)


def test_intervals_of_the_diagonal_cover(H):
    exact = H.matrix.diagonal()
    shares = []
    for s in range(30):
        found = diagonal(H, rng=Generator().manual_seed(s))
        shares.append(((found.values - exact).abs() <= found.half_widths + 1e-12).double().mean())
    assert float(torch.stack(shares).mean()) >= 0.9
    many = diagonal(H, sketch=40, probes=200)
    assert float((many.values - exact).norm() / exact.norm()) < 0.2
    plain = diagonal(H, sketch=0, probes=40)
    assert plain.products == 40


def test_the_density_has_the_moments_of_the_spectrum(H):
    values = torch.linalg.eigvalsh(H.matrix)
    found = spectral_density(H, probes=30, steps=30)
    width = float(found.grid[1] - found.grid[0])
    assert float(found.density.sum()) * width == pytest.approx(1, abs=0.02)
    assert torch.allclose(found.weights.sum(1), torch.ones(30, dtype=F64))
    for power in (1, 2, 3):
        estimate = found.mean_of(lambda t, power=power: t**power)
        truth = float((values**power).mean())
        assert abs(estimate.value - truth) <= 2 * estimate.half_width + 1e-12
    assert bool((found.low <= found.density).all() and (found.density <= found.high).all())
    big = float((values > 0.01).double().mean())
    assert abs(found.share(0.01, 1e9).value - big) < 0.1


def test_a_chain_that_ends_early_keeps_its_mass():
    found = spectral_density(Explicit(torch.eye(50, dtype=F64)), probes=3, steps=10)
    assert found.share(0.999, 1.001).value == pytest.approx(1)
    assert found.products == 3


def exact_noise_scale(landscape, H=None):
    """tr(H Sigma) / G^T H G from every example's gradient."""
    (batch,) = landscape.batches()
    rows = []
    for piece in batch.split(1):
        rows.append(landscape.flat(landscape.slopes(landscape.objective(piece))))
    g = torch.stack(rows)
    mean = g.mean(0)
    H = torch.eye(g.shape[1], dtype=F64) if H is None else H
    spread = g - mean
    return float((spread @ H * spread).sum() / len(g) / (mean @ H @ mean))


@pytest.mark.parametrize("seed", [0, 1])
def test_intervals_of_the_noise_scale_cover(seed):
    landscape = network(seed)
    exact = exact_noise_scale(landscape)
    found = [noise_scale(landscape, rng=Generator().manual_seed(s)) for s in range(100)]
    assert sum(exact in f.scale for f in found) >= 90
    sharp = noise_scale(landscape, groups=400, group_size=4)
    assert sharp.scale.value == pytest.approx(exact, rel=0.25)
    assert sharp.efficiency(10**9) == pytest.approx(1, abs=1e-6)


def test_the_noise_scale_can_be_weighed_by_curvature():
    landscape = network(0)
    H = hessian(landscape)
    exact = exact_noise_scale(landscape, H.dense())
    found = noise_scale(landscape, groups=200, group_size=8, hessian=H)
    assert exact in found.scale


def test_without_a_gradient_the_noise_scale_has_no_upper_end():
    module = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(module.weight)
    y = torch.cat([torch.ones(50, 1), -torch.ones(50, 1)])
    found = noise_scale(Landscape(module, nn.MSELoss(), (torch.ones(100, 1), y)))
    assert found.scale.high == float("inf")


def test_the_noise_scale_says_what_it_needs():
    landscape = network(0)
    with pytest.raises(InputError, match="at least 4"):
        noise_scale(landscape, groups=2)
    with pytest.raises(InputError, match="group_size"):
        noise_scale(landscape, group_size=59)
    landscape.reduction = "sum"
    with pytest.raises(InputError, match="not a sum"):
        noise_scale(landscape)


def test_a_plane_through_a_quadratic_is_the_quadratic():
    module = nn.Linear(2, 1, bias=False).double()
    nn.init.ones_(module.weight)
    x = torch.eye(2, dtype=F64)
    landscape = Landscape(module, nn.MSELoss(), (x, torch.zeros(2, 1, dtype=F64)))
    plane = loss_slice(landscape, list(x), points=5, reach=2.0)
    a, b = plane.a[:, None], plane.b[None]
    assert torch.allclose(plane.loss, ((1 + a) ** 2 + (1 + b) ** 2) / 2)
    with pytest.raises(InputError, match="1 or 2 directions of length 2"):
        loss_slice(landscape, torch.ones(3, dtype=F64))
    with pytest.raises(InputError, match="odd"):
        loss_slice(landscape, points=4)


def test_filter_normalised_slices_do_not_see_a_rescaling_of_relu_layers():
    landscape = network(1, relu=True)
    first, _, last = landscape.module
    for layer in (first, last):
        nn.init.zeros_(layer.bias)
    line = loss_slice(landscape, points=5, rng=Generator().manual_seed(3))
    with torch.no_grad():
        first.weight.mul_(4.0)
        last.weight.div_(4.0)
    scaled = loss_slice(landscape, points=5, rng=Generator().manual_seed(3))
    assert torch.allclose(line.loss, scaled.loss, rtol=1e-10)
