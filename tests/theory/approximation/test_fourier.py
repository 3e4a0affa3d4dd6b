"""The Fourier transform on a grid, in both conventions."""

import math

import pytest
import scipy.fft
import scipy.interpolate
import torch

from corollary.errors import InputError
from corollary.theory.approximation.fourier import (
    centred_grid,
    converted,
    gradient_transform,
    inverse,
    transform,
    weighted_mass,
)


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def gaussian(d: int, n: int = 96, step: float = 0.1):
    x = centred_grid(d, n, step)
    return x, torch.exp(-math.pi * x.square().sum(-1))


@pytest.mark.parametrize("d", [1, 2])
def test_the_gaussian_is_its_own_transform(d):
    _, f = gaussian(d)
    found = transform(f, 0.1)
    expected = torch.exp(-math.pi * found.w.square().sum(-1))
    assert (found.values - expected).abs().max() < 1e-13


@pytest.mark.parametrize("convention", ["ordinary", "angular"])
@pytest.mark.parametrize("shape", [(7,), (8,), (5, 6)])
def test_the_round_trip_gives_the_values_back(convention, shape, rng):
    f = torch.randn(shape, generator=rng, dtype=torch.float64)
    back = inverse(transform(f, 0.3, convention=convention))
    assert (back - f).abs().max() < 1e-12


def test_parseval_holds_with_factor_one_in_the_ordinary_convention(rng):
    f = torch.randn(33, generator=rng, dtype=torch.float64)
    found = transform(f, 0.2)
    energy = float(found.values.abs().square().sum()) * found.cell
    assert energy == pytest.approx(0.2 * float(f @ f))


def test_parseval_has_the_factor_two_pi_in_the_angular_convention(rng):
    f = torch.randn(33, generator=rng, dtype=torch.float64)
    found = transform(f, 0.2, convention="angular")
    energy = float(found.values.abs().square().sum()) * found.cell
    assert 2 * math.pi * energy == pytest.approx(0.2 * float(f @ f))


@pytest.mark.parametrize("d", [1, 2])
def test_barrons_constant_is_two_pi_times_larger_in_the_angular_convention(d):
    _, f = gaussian(d)
    ordinary, angular = transform(f, 0.1), transform(f, 0.1, convention="angular")
    assert weighted_mass(angular) == pytest.approx(2 * math.pi * weighted_mass(ordinary))
    assert weighted_mass(angular, 0.0) == pytest.approx(weighted_mass(ordinary, 0.0))


def test_conversion_goes_both_ways(rng):
    f = torch.randn(6, 5, generator=rng, dtype=torch.float64)
    there = converted(transform(f, 0.5), "angular")
    back = converted(there, "ordinary")
    assert torch.allclose(there.values, transform(f, 0.5, convention="angular").values)
    assert torch.allclose(back.w, transform(f, 0.5).w)


def test_the_scaling_of_scipys_transform_is_the_step(rng):
    f = torch.randn(16, generator=rng, dtype=torch.float64)
    own = transform(f, 0.25).values
    theirs = scipy.fft.fftshift(scipy.fft.fft(scipy.fft.ifftshift(f.numpy()))) * 0.25
    assert torch.allclose(own, torch.from_numpy(theirs))


def test_a_shift_turns_the_phase():
    x = centred_grid(1, 256, 0.1)[:, 0]
    found = transform(torch.exp(-math.pi * (x - 1) ** 2), 0.1)
    phase = torch.polar(torch.ones_like(x), -2 * math.pi * found.w[:, 0])
    expected = torch.exp(-math.pi * found.w[:, 0] ** 2) * phase
    assert (found.values - expected).abs().max() < 1e-12


def test_the_transform_of_the_gradient_is_two_pi_i_w_times_it_in_two_dimensions():
    x, f = gaussian(2, 64, 0.125)
    slopes = -2 * math.pi * x * f[..., None]
    found = gradient_transform(transform(f, 0.125))
    for axis in range(2):
        assert (found[..., axis] - transform(slopes[..., axis], 0.125).values).abs().max() < 1e-12


@pytest.mark.parametrize("convention", ["ordinary", "angular"])
def test_the_gradient_identity_holds_for_scipys_cubic_spline(convention):
    step = 1 / 256
    x = centred_grid(1, 4096, step)[:, 0]
    spline = scipy.interpolate.BSpline.basis_element([-2, -1, 0, 1, 2], extrapolate=False)
    f = torch.from_numpy(spline(x.numpy())).nan_to_num()
    slope = torch.from_numpy(spline.derivative()(x.numpy())).nan_to_num()
    own = gradient_transform(transform(f, step, convention=convention))[:, 0]
    theirs = transform(slope, step, convention=convention).values
    near = transform(f, step).w[:, 0].abs() < 5
    assert (own - theirs)[near].abs().max() < 1e-5


def test_a_jump_makes_the_constant_grow_with_the_cut_off():
    constants = []
    for step in (0.1, 0.05, 0.025, 0.0125):
        x = centred_grid(1, round(8 / step), step)[:, 0]
        constants.append(weighted_mass(transform((x.abs() < 1).double(), step)))
    growth = [b / a for a, b in zip(constants, constants[1:], strict=False)]
    assert min(growth) > 1.7  # twice the cut-off, twice the integral


def test_the_integral_of_the_gradients_transform_is_two_pi_times_the_constant():
    _, f = gaussian(2)
    found = transform(f, 0.1)
    integral = float(gradient_transform(found).abs().square().sum(-1).sqrt().sum()) * found.cell
    assert integral == pytest.approx(2 * math.pi * weighted_mass(found))


def test_what_is_not_a_grid_is_refused():
    with pytest.raises(InputError, match="step"):
        transform(torch.ones(3, dtype=torch.float64), 0.0)
    with pytest.raises(InputError, match="grid"):
        centred_grid(0, 3, 1.0)
