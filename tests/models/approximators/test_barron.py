"""Networks drawn from the Fourier integral, chosen greedily, or drawn from a signed measure."""

import math

import pytest
import scipy.integrate
import torch

from corollary.core import loglog_fit
from corollary.errors import InputError
from corollary.models.approximators.barron import (
    greedy,
    greedy_network,
    sample_network,
    sample_units,
)
from corollary.models.approximators.sampled import as_network, threshold_mixture
from corollary.models.approximators.shallow import Superposition
from corollary.models.approximators.steps import step
from corollary.theory.approximation.barron import barron_bound
from corollary.theory.approximation.maurey import SignedMeasure
from corollary.theory.approximation.spectra import Cosines, GaussianBump, LineSpectrum


@pytest.fixture(autouse=True)
def without_gradients():
    with torch.no_grad():
        yield


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def ball(n: int, d: int, r: float, rng) -> torch.Tensor:
    u = torch.randn(n, d, generator=rng, dtype=torch.float64)
    return r * u / u.norm(dim=1, keepdim=True) * torch.rand(n, 1, generator=rng).double()


def cosine(*w: float, theta: float = 0.0) -> Cosines:
    frequency = torch.tensor([w], dtype=torch.float64)
    return Cosines(frequency, frequency.new_ones(1), frequency.new_tensor([theta]))


def errors(f, n: int, r: float, x: torch.Tensor, trials: int, rng) -> torch.Tensor:
    target = f(x) - f(torch.zeros_like(x[:1]))
    units = sample_units(f, trials * n, r, rng=rng)
    hidden = step(x @ units.w.T + units.b) * units.c
    return (hidden.reshape(len(x), trials, n).mean(2) - target[:, None]).square().mean(0)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("r", [0.5, 2.0])
def test_the_mean_squared_error_is_within_the_bound(d, r, rng):
    f = GaussianBump(torch.full((d,), 0.2, dtype=torch.float64), 0.8)
    x = ball(60, d, r, rng)
    for n in (4, 64):
        assert errors(f, n, r, x, 60, rng).mean() <= barron_bound(f.constant, r, n)


@pytest.mark.parametrize("d", [1, 2, 5, 50])
def test_the_error_falls_like_one_over_n(d, rng):
    f = GaussianBump(torch.full((d,), 0.3 / d**0.5, dtype=torch.float64), 0.8)
    x = ball(40, d, 1.0, rng)
    sizes = [8, 16, 32, 64, 128]
    fit = loglog_fit(sizes, [float(errors(f, n, 1.0, x, 150, rng).mean()) for n in sizes])
    assert fit.low - 0.1 <= -1 <= fit.high + 0.1 and abs(fit.slope + 1) < 0.15


def test_a_cosine_times_its_size_stays_below_the_constant(rng):
    f = cosine(0.3, 0.4)  # C = 1/2, or pi in the angular convention
    x = ball(80, 2, 1.0, rng)
    assert f.constant == pytest.approx(0.5)
    for n in (8, 32, 128):
        assert n * float(errors(f, n, 1.0, x, 60, rng).mean()) <= 4 * (2 * math.pi * 0.5) ** 2


@pytest.mark.parametrize("r", [0.5, 1.0, 3.0])
def test_outer_weights_are_bounded_and_inner_ones_are_not(r, rng):
    f = GaussianBump(torch.zeros(2, dtype=torch.float64), 0.5)
    net = sample_network(f, 200, r, rng=rng)
    C = 2 * math.pi * f.constant
    assert float(net.network.a.abs().sum()) <= 2 * r * C
    assert float(net.network.w.norm(dim=1).sum()) > 2 * r * C  # what the slides bound
    assert net.offset.item() == 1.0 and net(torch.zeros(1, 2).double()).item() == 1.0


def test_drawn_networks_are_unbiased_with_a_phase(rng):
    f = cosine(0.7, -0.4, theta=0.15)
    x = ball(20, 2, 1.0, rng)
    net = sample_network(f, 40_000, rng=rng)
    assert (net(x) - f(x)).abs().max() < 0.15  # four deviations of 4 pi C / sqrt(40000)


def test_a_steep_sigmoid_does_as_well_as_a_step(rng):
    f = cosine(0.3, 0.2)
    x = ball(50, 2, 1.0, rng)
    steps = sample_network(f, 100, rng=torch.Generator().manual_seed(3))
    smooth = sample_network(
        f, 100, sigma=torch.sigmoid, sharpness=1e5, rng=torch.Generator().manual_seed(3)
    )
    assert (steps(x) - smooth(x)).abs().max() < 0.05


def test_relu_is_not_sigmoidal_but_a_difference_of_two_is():
    t = torch.tensor([-1e6, 1e6], dtype=torch.float64)
    assert torch.relu(t).tolist() == [0.0, 1e6]
    assert (torch.relu(t) - torch.relu(t - 1)).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("power", [1, 2])
def test_boxes_and_hats_are_refused(power, rng):
    f = LineSpectrum(lambda x: x[:, 0], lambda w: torch.sinc(w[:, 0]) ** power)
    with pytest.raises(InputError, match="finite"):
        sample_network(f, 10, rng=rng)


def test_a_tabulated_spectrum_gives_the_network_of_its_formula(rng):
    def gauss(t):
        return torch.exp(-math.pi * t[:, 0] ** 2)

    f = LineSpectrum(gauss, gauss)
    x = torch.linspace(-1, 1, 41, dtype=torch.float64)[:, None]
    assert (sample_network(f, 40_000, rng=rng)(x) - gauss(x)).abs().max() < 0.1


def test_sizes_and_radii_must_be_positive(rng):
    with pytest.raises(InputError, match="n >= 1"):
        sample_units(cosine(1.0), 0, rng=rng)
    with pytest.raises(InputError, match="r > 0"):
        sample_units(cosine(1.0), 1, 0.0, rng=rng)


def test_greedy_units_stay_below_the_bound_of_frank_and_wolfe(rng):
    features = (torch.rand(60, 80, generator=rng) < 0.5).double()
    c = torch.randn(80, generator=rng, dtype=torch.float64)
    mass = float(c.abs().sum())
    found = greedy(features, features @ c, mass, 60)
    bound = 4 * mass**2 / (torch.arange(1, 61) + 4)
    assert bool((found.errors <= bound).all())
    assert bool((found.errors.diff() <= 1e-9).all())
    rebuilt = features[:, found.chosen] @ found.weights
    assert float((rebuilt - features @ c).square().mean()) == pytest.approx(float(found.errors[-1]))
    assert float(found.weights.abs().sum()) <= mass * (1 + 1e-12)


def test_greedy_networks_beat_drawn_ones(rng):
    f = cosine(0.4, 0.3, theta=0.1)
    x = ball(100, 2, 1.0, rng)
    net, found = greedy_network(f, x, 30, pool=800, rng=rng)
    error = float((net(x) - f(x)).square().mean())
    assert error == pytest.approx(float(found.errors[-1]), rel=1e-6)
    assert error < float(errors(f, 30, 1.0, x, 40, rng).mean())


def test_a_sine_is_the_integral_of_thresholds_by_scipy():
    tau = 2 * math.pi
    for x in (0.1, 0.37, 0.8):
        value, _ = scipy.integrate.quad(lambda b: tau * math.cos(tau * b), 0, x)
        assert value == pytest.approx(math.sin(tau * x), abs=1e-8)
    mass, _ = scipy.integrate.quad(
        lambda b: abs(tau * math.cos(tau * b)), 0, 1, points=[0.25, 0.75]
    )
    assert mass == pytest.approx(4.0)


def test_thresholds_for_a_sine_have_the_error_and_the_rate_of_the_notes(rng):
    tau = 2 * math.pi
    x = (torch.arange(100, dtype=torch.float64)[:, None] + 0.5) / 100
    means, sizes = [], [10, 20, 40, 80, 160]

    def slope(b):
        return tau * torch.cos(tau * b)

    for k in sizes:
        nets = [
            threshold_mixture(lambda b: tau * torch.cos(tau * b), k, rng=rng) for _ in range(80)
        ]
        drawn = torch.stack([net(x).detach() for net in nets])
        means.append(float((drawn - torch.sin(tau * x[:, 0])).square().mean()))
        assert means[-1] <= 16 / k
        assert means[-1] == pytest.approx(7.5 / k, rel=0.35)
    assert abs(loglog_fit(sizes, means).slope + 1) < 0.2


def test_a_network_drawn_from_a_measure_is_unbiased(rng):
    points = torch.randn(12, 3, generator=rng, dtype=torch.float64)
    mu = SignedMeasure(points, torch.randn(12, generator=rng, dtype=torch.float64))
    exact = Superposition(torch.tanh, points[:, :2], points[:, 2], mu.weights)
    x = torch.randn(9, 2, generator=rng, dtype=torch.float64)
    net = as_network(mu, torch.tanh, 40_000, rng=rng)
    assert net.units == 40_000
    assert (net(x) - exact(x)).abs().max() < 5 * mu.mass / 200
    with pytest.raises(InputError, match="bias"):
        as_network(SignedMeasure(points[:, :1], mu.weights), torch.tanh, 3, rng=rng)
