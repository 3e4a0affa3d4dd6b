"""Piecewise-linear functions as networks, cosine networks, and the span of units."""

import math

import numpy as np
import pytest
import torch

from corollary.core import loglog_fit
from corollary.errors import InputError
from corollary.models.approximators.cosine import CosNetwork, fit_cosines, multiply
from corollary.models.approximators.relu_sums import (
    fit_relu_uniform,
    from_pieces,
    interpolation_bound,
    pl_interpolant,
    pl_to_relu,
)
from corollary.models.approximators.shallow import Superposition, fit_outer, joined
from corollary.theory.expressivity.piecewise import PiecewiseLinear, random_piecewise


@pytest.fixture(autouse=True)
def without_gradients():
    with torch.no_grad():
        yield


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


FINE = torch.cat(
    [torch.logspace(-6, -2, 2001, dtype=torch.float64), torch.linspace(0, 1, 4001).double()]
)


def sup_errors(f, sizes):
    return [float((pl_interpolant(f, m)(FINE) - f(FINE[:, None])).abs().max()) for m in sizes]


def test_the_interpolant_is_numpys(rng):
    def f(x):
        return torch.exp(-x[:, 0]) * torch.sin(9 * x[:, 0])

    nodes = np.linspace(0, 1, 8)
    x = torch.rand(50, generator=rng, dtype=torch.float64)
    theirs = np.interp(x.numpy(), nodes, f(torch.from_numpy(nodes)[:, None]).numpy())
    assert np.allclose(pl_interpolant(f, 7)(x).numpy(), theirs)


def test_the_error_of_interpolation_has_slope_two_for_a_sine_and_half_for_a_root():
    sizes = [8, 16, 32, 64, 128]
    sine = loglog_fit(sizes, sup_errors(lambda x: torch.sin(6 * x[:, 0]), sizes))
    root = loglog_fit(sizes, sup_errors(lambda x: x[:, 0].sqrt(), sizes))
    assert sine.slope == pytest.approx(-2, abs=0.05)
    assert root.slope == pytest.approx(-0.5, abs=0.01)
    assert sup_errors(lambda x: x[:, 0].sqrt(), [16])[0] == pytest.approx(1 / 16, rel=1e-3)


@pytest.mark.parametrize("m", [1, 3, 10, 50])
def test_the_bounds_on_interpolation_are_kept(m):
    sine = sup_errors(lambda x: torch.sin(6 * x[:, 0]), [m])[0]
    root = sup_errors(lambda x: x[:, 0].sqrt(), [m])[0]
    assert sine <= interpolation_bound(m, 36.0) * (1 + 1e-9)
    assert root <= m**-0.5  # the modulus of continuity of a root at 1/m


@pytest.mark.parametrize("pieces", [1, 2, 7, 40])
def test_the_relu_sum_is_the_function_everywhere(pieces, rng):
    g = random_piecewise(pieces, rng=rng)
    x = 20 * torch.rand(300, generator=rng, dtype=torch.float64) - 10
    net = pl_to_relu(g, rtol=1e-12)
    assert (net(x[:, None]) - g(x)).abs().max() < 1e-9 * float(g(x).abs().max())
    assert net.units == pieces - 1 + 2


def test_a_constant_needs_no_slope():
    knot = torch.zeros(1, dtype=torch.float64)
    net = pl_to_relu(PiecewiseLinear(knot, knot + 5, 0.0, 2.0))
    x = torch.tensor([[-3.0], [1.0]], dtype=torch.float64)
    assert net(x).tolist() == [5.0, 7.0] and net.units == 3


def test_pieces_that_meet_are_joined_and_jumps_are_refused():
    at = torch.tensor([0.0, 1.0], dtype=torch.float64)
    hat = from_pieces(at, at.new_tensor([0.0, 1.0, 0.0]), at.new_tensor([0.0, 0.0, 1.0]))
    x = torch.tensor([-1.0, 0.5, 3.0], dtype=torch.float64)
    assert hat(x).tolist() == [0.0, 0.5, 1.0] and hat.pieces == 3
    line = from_pieces(at[:0], at.new_tensor([2.0]), at.new_tensor([1.0]))
    assert line(x).tolist() == [-1.0, 2.0, 7.0]
    with pytest.raises(InputError, match="jumps by 1"):
        from_pieces(at[:1], at.new_zeros(2), at.new_tensor([0.0, 1.0]))
    with pytest.raises(InputError, match="pieces"):
        from_pieces(at, at, at)


def test_breakpoints_that_repeat_are_refused():
    twice = torch.zeros(2, dtype=torch.float64)
    with pytest.raises(InputError, match="ascend"):
        pl_to_relu(PiecewiseLinear(twice, torch.tensor([0.0, 1.0]).double(), 0.0, 0.0))


def test_a_relu_sum_misses_a_jump_by_half(rng):
    beside = torch.tensor([[-1e-9], [1e-9]], dtype=torch.float64)
    for m in (4, 64):
        net = pl_to_relu(pl_interpolant(lambda x: (x[:, 0] >= 0).double(), m, low=-1.0))
        left, right = net(beside).tolist()
        assert max(abs(left), abs(1 - right)) >= 0.5 - 1e-6


TARGETS = {
    "sin": lambda x: torch.sin(2 * math.pi * x[:, 0]),
    "abs": lambda x: (x[:, 0] - 0.3).abs(),
    "runge": lambda x: 1 / (1 + 25 * x[:, 0] ** 2),
}


@pytest.mark.parametrize("name", list(TARGETS))
def test_relu_networks_reach_the_tolerance_as_they_widen(name):
    found = fit_relu_uniform(TARGETS[name], 2e-3, low=-1.0)
    assert found.errors[-1] <= 2e-3
    assert found.errors[-1] < found.errors[0] / 10


def test_relu_networks_reach_the_tolerance_in_the_plane(rng):
    found = fit_relu_uniform(lambda x: torch.sin(2 * x.sum(1)), 0.05, d=2, rng=rng)
    assert found.errors[-1] <= 0.05 < found.errors[0]


def test_squares_do_not_improve(rng):
    found = fit_relu_uniform(
        TARGETS["sin"], 1e-3, low=-1.0, sigma=torch.square, largest=128, rng=rng
    )
    assert min(found.errors) > 0.5


def test_fits_without_a_tolerance_are_refused():
    with pytest.raises(InputError, match="eps"):
        fit_relu_uniform(TARGETS["sin"], 0.0)
    with pytest.raises(InputError, match="pieces"):
        pl_interpolant(TARGETS["sin"], 0)
    with pytest.raises(InputError, match="finite"):
        interpolation_bound(3, math.inf)


def drawn(m: int, rng, sigma=torch.cos) -> Superposition:
    w = torch.randn(m, 3, generator=rng, dtype=torch.float64)
    b, a = torch.randn(2, m, generator=rng, dtype=torch.float64)
    return CosNetwork(w, b, a) if sigma is torch.cos else Superposition(sigma, w, b, a)


@pytest.mark.parametrize("m,k", [(1, 1), (4, 7)])
def test_the_product_network_is_the_product_with_twice_the_units(m, k, rng):
    F, G = drawn(m, rng), drawn(k, rng)
    x = torch.randn(30, 3, generator=rng, dtype=torch.float64)
    both = multiply(F, G)
    assert both.units == 2 * m * k
    assert (both(x) - F(x) * G(x)).abs().max() < 1e-12


def test_fits_by_cosines_improve_with_the_width(rng):
    def f(x):
        return (x[:, 0] - 0.4).abs()

    x = torch.linspace(0, 1, 1001, dtype=torch.float64)[:, None]
    errors = [
        float((fit_cosines(f, m, scale=40.0, rng=rng)(x) - f(x)).abs().max()) for m in (5, 20, 80)
    ]
    assert errors[2] < errors[1] < errors[0] and errors[2] < 0.02


@pytest.mark.parametrize("sigma", [torch.tanh, torch.relu])
def test_the_sum_of_two_networks_is_a_network_of_twice_the_width(sigma, rng):
    F, G = drawn(5, rng, sigma), drawn(5, rng, sigma)
    x = torch.randn(30, 3, generator=rng, dtype=torch.float64)
    both = joined([F, G], [1.0, -2.0])
    assert both.units == 10
    assert torch.allclose(both(x), F(x) - 2 * G(x), atol=1e-13)


def test_fitted_outer_weights_are_those_of_numpys_least_squares(rng):
    net = drawn(6, rng, torch.tanh)
    x = torch.randn(40, 3, generator=rng, dtype=torch.float64)
    y = torch.randn(40, generator=rng, dtype=torch.float64)
    own = fit_outer(torch.tanh, net.w.detach(), net.b.detach(), x, y)
    theirs = np.linalg.lstsq(net.hidden(x).detach().numpy(), y.numpy(), rcond=None)[0]
    assert np.allclose(own.a.detach().numpy(), theirs)
