import pytest
import torch
from scipy import integrate

from corollary.core import generator
from corollary.data.waves import random_wave
from corollary.errors import InputError
from corollary.models.approximators.relu_boxes import (
    ReluBoxes,
    box_error_bound,
    certified_error,
    relu_box,
    relu_three_layer,
)
from corollary.models.approximators.steps import step
from corollary.theory.approximation.grids import grid_units


def corners(d):
    ones = torch.ones(d, dtype=torch.float64)
    return 0.2 * ones, 0.4 * ones


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_bump_is_one_on_the_box_and_zero_off_the_larger_one(d):
    a, b = corners(d)
    net, gamma = relu_box(a, b, 0.01), 0.01
    x = torch.rand(4000, d, generator=generator(0), dtype=torch.float64)
    inside = a + (b - a) * x
    assert net(inside).detach() == pytest.approx(torch.ones(4000), abs=1e-10)
    outside = x[((x < a - gamma) | (x > b + gamma)).any(1)]
    assert net(outside).abs().max() < 1e-10
    between = net(0.15 + 0.3 * x).detach()
    assert between.min() >= 0 and between.max() <= 1 + 1e-10
    assert net.units == 4 * d + 1


def test_the_trapezoid_is_linear_on_its_ramps():
    net = relu_box(*corners(1), 0.1)
    x = torch.tensor([[0.1], [0.15], [0.2], [0.45]], dtype=torch.float64)
    assert net(x).tolist() == pytest.approx([0.0, 0.5, 1.0, 0.5])


def test_its_l1_error_is_half_the_bound_in_one_dimension():
    a, b = corners(1)
    net = relu_box(a, b, 0.05)

    def off(t):
        value = net(torch.tensor([[t]], dtype=torch.float64)).item()
        return abs(value - (0.2 <= t <= 0.4))

    measured, _ = integrate.quad(off, 0, 1, points=[0.15, 0.2, 0.4, 0.45])
    assert measured == pytest.approx(0.05, abs=1e-9)
    assert box_error_bound(a, b, 0.05) == pytest.approx(0.1)


def test_the_bound_is_linear_in_gamma():
    a, b = corners(3)
    bounds = [box_error_bound(a, b, g) / g for g in (1e-3, 1e-4, 1e-5)]
    assert bounds == pytest.approx([6 * 0.04] * 3, rel=0.05)


def test_with_threshold_units_the_trapezoid_vanishes_on_the_box():
    """a = 0.2, b = 0.4, z = 0.3: 1 - 1 - 0 + 0 = 0, where the proof needs 1."""
    a, b = corners(1)
    z = torch.tensor([[0.3]], dtype=torch.float64)
    for sigma, value in ((step, 0.0), (torch.relu, 1.0)):
        net = ReluBoxes(a[None], b[None], torch.ones(1).double(), 0.05, sigma=sigma)
        first = sigma((z[:, None, :, None] - net.knots) / net.gamma)
        assert (first @ net.signs).sum().item() == pytest.approx(value)


@pytest.mark.parametrize("gamma", [0.0, -0.1])
def test_a_ramp_without_width_is_refused(gamma):
    with pytest.raises(InputError, match="gamma must be positive"):
        relu_box(*corners(2), gamma)


def test_a_box_with_crossed_ends_is_refused():
    a, b = corners(2)
    with pytest.raises(InputError, match="a <= b"):
        relu_box(b, a, 0.1)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_three_layer_network_keeps_two_eps_with_its_units(d):
    eps, rho = 0.25, 1.0
    g = random_wave(d, rho, rng=generator(d))
    net = relu_three_layer(g, eps, eps / rho, d)
    assert net.units == grid_units(rho, eps, d) == 4**d * (4 * d + 1)
    assert certified_error(net, eps) <= 2 * eps * (1 + 1e-12)
    x = torch.rand(20_000, d, generator=generator(0), dtype=torch.float64)
    assert (net(x) - g(x)).abs().mean() <= 2 * eps


def test_the_zero_function_is_built_too():
    net = relu_three_layer(lambda x: 0 * x[:, 0], 0.1, 0.5, 2)
    assert net(torch.rand(5, 2).double()).abs().max().item() == 0.0
    with pytest.raises(InputError, match="eps"):
        relu_three_layer(lambda x: x[:, 0], 0.0, 0.5, 2)
