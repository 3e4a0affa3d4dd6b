"""Quantities of a curvature operator that are estimated from random products."""

from functools import cache

import pytest
import torch
from torch import nn

from corollary.theory.landscape.curvature import (
    Explicit,
    Landscape,
    diagonal,
    extreme_eigenvalues,
    largest_stable_step,
    noise_scale,
    spectral_density,
    squared_frobenius_norm,
    trace,
)
from corollary.theory.landscape.curvature.forms import trace_estimate
from corollary.theory.landscape.curvature.noise_scale import two_sizes
from corollary.watch.measure.noise import WINDOW, NoiseAverage

P = 300  # coordinates: more than the products that would give a trace exactly
F64 = torch.float64
PLACE = torch.arange(1, P + 1, dtype=F64)
SPECTRA = {  # random vectors have no preferred axes, so diagonal matrices are all matrices
    "one outlier": torch.cat([torch.tensor([100.0]), torch.ones(P - 1)]).double(),
    "three outliers": torch.cat(
        [torch.tensor([50.0, 30.0, 20.0]), torch.linspace(0, 1, P - 3)]
    ).double(),
    "1 / i": 1 / PLACE,
    "of both signs": torch.linspace(-1, 3, P, dtype=F64),
    "rank 10": (PLACE <= 10).double() * PLACE,
}
STEPS = 12  # of Lanczos' method: exact for powers up to 23, and for ten different eigenvalues


@cache
def operator(spectrum):
    return Explicit(torch.diag(SPECTRA[spectrum]))


@pytest.fixture(params=SPECTRA)
def spectrum(request):
    return request.param


@pytest.mark.parametrize("budget", [20, 200])
def test_the_trace(draws, covers, spectrum, budget):
    truth = float(SPECTRA[spectrum].sum())
    found = (trace(operator(spectrum), max_products=budget, rng=k) for k in range(draws))
    near = ulps(truth)
    covers(f"trace, {spectrum}, {budget} products", 0.95, (near(f.estimate) for f in found))


def ulps(truth):
    """Whether an interval contains the truth; where all is taken exactly, up to rounding."""
    room = 1e-9 * abs(truth)
    return lambda e: e.low - room <= truth <= e.high + room


def test_the_squared_frobenius_norm(draws, covers, spectrum):
    near, A = ulps(float(SPECTRA[spectrum].square().sum())), operator(spectrum)
    found = (squared_frobenius_norm(A, max_products=40, rng=k) for k in range(draws))
    name = f"squared Frobenius norm, {spectrum}, 40 products"
    covers(name, 0.95, (near(f.estimate) for f in found))


@pytest.mark.parametrize("probes", [2, 4, 10, 30])
def test_means_of_quadratic_forms(draws, covers, spectrum, probes):
    """What the trace, the norm and the density share, for any number of probes."""
    values, rng = SPECTRA[spectrum], torch.Generator().manual_seed(probes)
    near = ulps(float(values.mean()))

    def inside(_):
        v = torch.randn(probes, P, generator=rng, dtype=F64)
        v /= v.norm(dim=1, keepdim=True)
        return near(trace_estimate(((v * values) @ v.T).numpy(), (v @ v.T).numpy(), 0.95))

    name = f"mean of quadratic forms, {spectrum}, {probes} probes"
    covers(name, 0.95, map(inside, range(draws)))


def test_averages_over_the_spectrum(draws, covers, spectrum):
    values, A = SPECTRA[spectrum], operator(spectrum)
    found = [spectral_density(A, steps=STEPS, points=8, rng=k) for k in range(draws)]
    for power, name in ((2, "second"), (4, "fourth")):
        near = ulps(float((values**power).mean()))
        means = (f.mean_of(lambda t, power=power: t**power) for f in found)
        covers(f"{name} moment, {spectrum}, 4 probes", 0.95, map(near, means))


@pytest.mark.parametrize("k", [1, 3])
def test_the_share_of_the_largest(draws, covers, k):
    """Of eigenvalues that Lanczos' method resolves: with a gap below them."""
    values = torch.cat([torch.linspace(8, 10, k), torch.linspace(0, 1, P - k)]).double()
    A, near = Explicit(torch.diag(values)), ulps(k / P)
    found = (spectral_density(A, steps=STEPS, points=8, rng=s) for s in range(draws))
    covers(f"share of the {k} largest, 4 probes", 0.95, (near(f.share(4.0, 20.0)) for f in found))


def test_the_share_of_negative_eigenvalues(draws, covers):
    values = torch.cat([torch.linspace(-2, -1, P // 3), torch.linspace(1, 2, 2 * P // 3)]).double()
    A, near = Explicit(torch.diag(values)), ulps(1 / 3)
    found = (spectral_density(A, steps=STEPS, points=8, rng=k) for k in range(draws))
    shares = (f.logarithmic(sign="negative", points=8).share for f in found)
    covers("share of negative eigenvalues, 4 probes", 0.95, map(near, shares))


@pytest.mark.parametrize("logarithmic", [False, True])
def test_the_band_of_the_density(draws, covers, logarithmic):
    """At the middle of the grid, for a smoothing that these steps of Lanczos' method resolve."""
    values = 1 + 9 * (PLACE - 0.5) / P
    A, sigma = Explicit(torch.diag(values)), 0.1 if logarithmic else 0.5

    def inside(k):
        found = spectral_density(A, steps=STEPS, points=9, sigma=0.5, rng=k)
        curve = found.logarithmic(sigma=sigma, points=9) if logarithmic else found
        at = torch.log10(curve.shifted[4]) if logarithmic else found.grid[4]
        where = (values + curve.floor).log10() if logarithmic else values
        bump = torch.exp(-0.5 * ((at - where) / sigma) ** 2) / (sigma * (2 * torch.pi) ** 0.5)
        return bool(curve.low[4] <= bump.mean() <= curve.high[4])

    name = "band of the density" + (" on a log axis" if logarithmic else "")
    covers(name, 0.95, map(inside, range(draws)))


def mixed(values):
    """A matrix with these eigenvalues whose eigenvectors are no axes."""
    rng = torch.Generator().manual_seed(0)
    Q = torch.linalg.qr(torch.randn(P, P, generator=rng, dtype=F64)).Q
    return Q @ torch.diag(values) @ Q.T


@pytest.mark.parametrize("probes", [5, 30])
def test_an_entry_of_the_diagonal(draws, covers, spectrum, probes):
    matrix = mixed(SPECTRA[spectrum])
    A, truth, room = Explicit(matrix), matrix.diagonal(), 1e-9 * float(matrix.abs().max())

    def inside(k):
        found, at = diagonal(A, probes=probes, rng=k), k % P
        return abs(found.values[at] - truth[at]) <= found.half_widths[at] + room

    name = f"entry of the diagonal, {spectrum}, {probes} probes"
    covers(name, 0.95, map(inside, range(draws)))


def test_the_ends_of_the_spectrum_and_the_largest_step(draws, covers, spectrum):
    values, A = SPECTRA[spectrum], operator(spectrum)
    low, high = float(values.min()), float(values.max())
    found = [extreme_eigenvalues(A, rng=k) for k in range(draws)]
    both = (low in f.smallest and high in f.largest for f in found)
    covers(f"both ends of the spectrum, {spectrum}", 0.95, both)
    steps = (largest_stable_step(A, rng=k).step for k in range(draws))
    covers(f"largest stable step, {spectrum}", 0.95, map(ulps(2 / high), steps))


def regression(n, d, offset, tail):
    """Least squares at weights of 0: the gradient of an example is -2 y x."""
    rng = torch.Generator().manual_seed(n)
    x = torch.randn(n, d, generator=rng, dtype=F64)
    noise = torch.randn(n, generator=rng, dtype=F64)
    y = offset * x[:, :1] + (noise * noise.abs() ** tail)[:, None]
    model = nn.Linear(d, 1, bias=False).double()
    nn.init.zeros_(model.weight)
    each = -2 * y * x
    mean = each.mean(0)
    spread = (each - mean).square().sum(1).mean()
    return Landscape(model, nn.MSELoss(), (x, y)), float(spread / mean.square().sum())


@pytest.mark.parametrize("groups", [4, 8, 32])
@pytest.mark.parametrize(
    ("n", "d", "offset", "tail"),
    [(512, 1, 1.0, 0), (512, 20, 0.5, 0), (512, 20, 1.0, 1)],
)
def test_the_noise_scale(draws, covers, n, d, offset, tail, groups):
    landscape, truth = regression(n, d, offset, tail)
    found = (noise_scale(landscape, groups=groups, rng=k).scale for k in range(draws))
    name = f"noise scale {truth:.3g}, {d} weights, {groups} groups of {n // groups}"
    covers(name, 0.95, map(ulps(truth), found))


@pytest.mark.parametrize("d", [1, 20])
def test_the_noise_scale_along_a_run(draws, covers, d):
    """From the lengths of single gradients and of batches of 32, over the last 20 steps."""
    rng, B = torch.Generator().manual_seed(d), 32

    def inside(_):
        average = NoiseAverage()
        each = 0.5 + torch.randn(WINDOW, B, d, generator=rng, dtype=F64)
        for g in each:
            small, large = float(g.square().sum(1).mean()), float(g.mean(0).square().sum())
            average.add(*two_sizes(small, large, 1, B))
        read = average.read()
        return read.low <= 4.0 <= read.high  # tr = d, |G|^2 = d / 4

    covers(f"noise scale along a run, {d} weights", 0.95, map(inside, range(draws)))
