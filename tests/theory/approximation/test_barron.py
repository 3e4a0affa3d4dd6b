"""Barron's constant, functions that know their transform, and the infinite representations."""

import math

import pytest
import scipy.integrate
import scipy.special
import torch

from corollary.errors import InputError
from corollary.theory.approximation.barron import (
    barron_bound,
    barron_constant,
    gaussian_constant,
)
from corollary.theory.approximation.representations import (
    cosine_representation,
    increment_bound,
    threshold_mass,
    threshold_representation,
)
from corollary.theory.approximation.spectra import Cosines, GaussianBump, LineSpectrum


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def bump(d: int = 1, sigma: float = 0.5, at: float = 0.0, amplitude: float = 1.0) -> GaussianBump:
    return GaussianBump(torch.full((d,), at, dtype=torch.float64), sigma, amplitude)


@pytest.mark.parametrize(
    "d,sigma,exact,bound", [(1, 0.4, 0.3166, 0.3968), (3, 0.3, 1.9908, 2.1609)]
)
def test_the_gaussian_has_the_constants_of_the_notes(d, sigma, exact, bound, rng):
    assert gaussian_constant(d, sigma, convention="angular") == pytest.approx(
        2 * math.pi * gaussian_constant(d, sigma)
    )
    assert round(gaussian_constant(d, sigma), 4) == exact
    assert round(gaussian_constant(d, sigma, exact=False), 4) == bound

    def fhat(w):
        return torch.exp(-2 * (math.pi * sigma) ** 2 * w.square().sum(1))

    assert barron_constant(fhat, d, directions=3, rng=rng).value == pytest.approx(
        gaussian_constant(d, sigma), rel=1e-9
    )


@pytest.mark.parametrize("d,sigma", [(1, 0.4), (3, 0.3), (8, 0.6)])
def test_monte_carlo_over_frequencies_meets_the_exact_constant(d, sigma, rng):
    w = torch.randn(40_000, d, generator=rng, dtype=torch.float64) / (2 * math.pi * sigma)
    draws = (2 * math.pi * sigma**2) ** (-d / 2) * w.norm(dim=1)
    error = float(draws.std()) / 200
    assert abs(float(draws.mean()) - gaussian_constant(d, sigma)) < 4 * error


def test_the_constant_of_a_density_decays_or_explodes_with_the_dimension():
    wide = [gaussian_constant(d, 1.0) for d in (1, 10, 40)]
    narrow = [gaussian_constant(d, 0.2) for d in (1, 10, 40)]
    assert wide[2] < 1e-10 < wide[1] < wide[0]
    assert narrow[0] < narrow[1] < 1e10 < narrow[2]
    assert gaussian_constant(41, 1.0) / wide[2] == pytest.approx((2 * math.pi) ** -0.5, rel=0.02)


@pytest.mark.parametrize("power", [1, 2])
def test_boxes_and_hats_have_no_finite_constant(power):
    found = barron_constant(lambda w: torch.sinc(w[:, 0]) ** power)
    assert not found.finite
    growth = [b - a for a, b in zip(found.partial, found.partial[1:], strict=False)]
    assert min(growth[3:]) > 0.05


def test_a_cubic_spline_has_a_finite_constant():
    found = barron_constant(lambda w: torch.sinc(w[:, 0]) ** 4)
    expected, _ = scipy.integrate.quad(
        lambda w: 2 * w * scipy.special.sinc(w) ** 4, 0, 40, limit=400
    )
    assert found.finite and found.value == pytest.approx(expected, abs=1e-3)


def test_the_modulus_matters():
    """The slides integrate fhat |w|: for x exp(-x^2) that is 0, while the constant is 1/(2 pi)."""

    def fhat(w):
        size = math.pi**1.5 * w[:, 0] * torch.exp(-((math.pi * w[:, 0]) ** 2))
        return torch.complex(torch.zeros_like(size), -size)

    assert barron_constant(fhat).value == pytest.approx(1 / (2 * math.pi), rel=1e-8)
    w = torch.linspace(-3, 3, 6001, dtype=torch.float64)[:, None]
    assert abs(complex((w[:, 0].abs() * fhat(w)).sum()) * 1e-3) < 1e-12


@pytest.mark.parametrize("a", [0.5, 4.0])
def test_squeezing_by_a_multiplies_the_constant_by_a(a):
    f, g = bump(2, 0.5), bump(2, 0.5 / a)
    assert g.constant == pytest.approx(a * f.constant)


def test_the_bound_takes_the_convention_into_account():
    angular = barron_bound(2 * math.pi * 0.3, 2.0, 10, convention="angular")
    assert barron_bound(0.3, 2.0, 10) == pytest.approx(angular)
    assert angular == pytest.approx((4 * math.pi * 2 * 0.3) ** 2 / 10)
    with pytest.raises(InputError, match="finite"):
        barron_bound(math.inf, 1.0, 10)


@pytest.mark.parametrize("f", [bump(2, 0.4, 0.3), bump(5, 0.7), bump(1, 0.3, amplitude=-2.0)])
@pytest.mark.parametrize("tilt", [0, 1])
def test_draws_have_the_mean_length_of_their_density(f, tilt, rng):
    w, theta = f.draw(40_000, tilt=tilt, rng=rng)
    scaled = w.norm(dim=1) * 2 * math.pi * f.sigma
    expected = math.sqrt(2) * math.exp(
        math.lgamma((f.d + tilt + 1) / 2) - math.lgamma((f.d + tilt) / 2)
    )
    assert float(scaled.mean()) == pytest.approx(expected, rel=0.02)
    assert torch.equal(theta, f.phase(w))


@pytest.mark.parametrize(
    "f",
    [
        bump(2, 0.6, 0.2, -1.5),
        Cosines(
            torch.tensor([[1.0, 0.5], [0.2, -1.0]]).double(),
            torch.tensor([1.0, -0.5]).double(),
            torch.tensor([0.1, 0.3]).double(),
        ),
    ],
)
def test_the_mean_of_drawn_cosines_is_the_function(f, rng):
    x = torch.randn(20, 2, generator=rng, dtype=torch.float64)
    w, theta = f.draw(60_000, tilt=0, rng=rng)
    mean = f.mass * torch.cos(2 * math.pi * (x @ w.T + theta)).mean(1)
    assert (mean - f(x)).abs().max() < 5 * f.mass / 60_000**0.5


def test_a_tabulated_spectrum_draws_like_the_formula(rng):
    def gauss(t):
        return torch.exp(-math.pi * t[:, 0] ** 2)

    f = LineSpectrum(gauss, gauss)
    w, _ = f.draw(20_000, tilt=1, rng=rng)
    assert f.mass == pytest.approx(1.0, abs=1e-6)
    assert f.constant == pytest.approx(1 / math.pi)
    assert float(w.abs().mean()) == pytest.approx(0.5, rel=0.03)  # of |w| exp(-pi w^2)


@pytest.mark.parametrize("d,at", [(1, 0.0), (1, 0.4), (2, -0.3), (3, 0.1)])
def test_the_mixture_of_cosines_is_the_function(d, at, rng):
    f = bump(d, 0.5, at)
    x = 2 * torch.rand(6, d, generator=rng, dtype=torch.float64) - 1
    mixture = cosine_representation(f, x, reach=2.2, panels=14 if d == 3 else 32)
    assert (mixture - f(x)).abs().max() < 1e-6


def test_no_point_is_past_the_bound_on_increments(rng):
    for d in (1, 3, 20):
        f = bump(d, 0.5, 0.4 / d**0.5)
        x = torch.randn(500, d, generator=rng, dtype=torch.float64) / d**0.5
        gap = (f(x) - f(torch.zeros(1, d, dtype=torch.float64))).abs()
        assert bool((gap <= increment_bound(f.constant, x)).all())


def test_boundedness_of_the_weighted_transform_is_not_enough():
    """The box on [-1, 1/100): |w| |fhat| <= 1/pi, but it falls by 1 between 0 and 0.02."""
    w = torch.linspace(-50, 50, 10_001, dtype=torch.float64)
    weighted = w.abs() * (1.01 * torch.sinc(1.01 * w)).abs()
    assert weighted.max() <= 1 / math.pi + 1e-12
    x = torch.tensor([[0.02]], dtype=torch.float64)
    assert increment_bound(1 / math.pi, x).item() == pytest.approx(0.04) and 0.04 < 1


def test_the_mixture_of_thresholds_has_the_values_of_the_notes():
    density = bump(1, 0.5, amplitude=(2 / math.pi) ** 0.5)
    x = torch.tensor([[0.3], [-0.8]], dtype=torch.float64)
    found = threshold_representation(density, x, reach=2.5)
    assert found.tolist() == pytest.approx([-0.1314, -0.5760], abs=1e-4)


@pytest.mark.parametrize("d", [1, 2])
def test_the_thresholds_of_a_shifted_bump_use_its_phase(rng, d):
    f = bump(d, 0.4, 0.35)
    x = (2 * torch.rand(8, d, generator=rng, dtype=torch.float64) - 1) / d**0.5
    expected = f(x) - f(torch.zeros_like(x))
    found = threshold_representation(f, x, reach=3.0, panels=24)
    assert (found - expected).abs().max() < 1e-9


def test_outside_the_unit_ball_thresholds_are_refused_and_wrong():
    density = bump(1, 0.5, amplitude=(2 / math.pi) ** 0.5)
    x = torch.tensor([[2.0], [1.0]], dtype=torch.float64)
    with pytest.raises(InputError, match="<= 1"):
        threshold_representation(density, x, reach=2.5)
    outside, edge = threshold_representation(density, x, reach=2.5, strict=False).tolist()
    truth = float((density(x[:1]) - density(0 * x[:1])).item())
    assert outside == pytest.approx(edge) and round(outside, 2) == -0.69
    assert round(truth, 2) == -0.80


@pytest.mark.parametrize("sigma,at", [(0.5, 0.0), (0.3, 0.4), (2.0, 0.0)])
def test_the_mass_of_thresholds_is_scipys_and_below_its_bound(sigma, at):
    f = bump(1, sigma, at)
    reach = 7 / (2 * math.pi * sigma)

    w = torch.linspace(-reach, reach, 801, dtype=torch.float64)[:, None]
    b = w.abs() * torch.linspace(-1, 1, 801, dtype=torch.float64)
    sine = torch.sin(2 * math.pi * (b + f.phase(w)[:, None])).abs().numpy()
    rows = scipy.integrate.trapezoid(sine, b.numpy(), axis=1)
    expected = 2 * math.pi * scipy.integrate.trapezoid(f.modulus(w).numpy() * rows, w[:, 0].numpy())
    mass = threshold_mass(f, reach=reach, panels=200)
    assert mass == pytest.approx(expected, rel=1e-3)
    assert mass <= 4 * math.pi * f.constant


def test_inputs_without_meaning_are_refused():
    with pytest.raises(InputError, match="sigma"):
        gaussian_constant(1, 0.0)
    with pytest.raises(InputError, match="sigma"):
        bump(1, -1.0)
    with pytest.raises(InputError, match="d <= 3"):
        threshold_representation(bump(4), torch.zeros(1, 4).double(), reach=1.0)
    with pytest.raises(InputError, match="d <= 3"):
        cosine_representation(bump(4), torch.zeros(1, 4).double(), reach=1.0)
