import math

import pytest
import torch
from scipy.optimize import minimize

from corollary.errors import InputError
from corollary.theory.optimization.critical_points import (
    classify_critical_point,
    is_descent_direction,
    max_decrease_step,
    stationarity,
)
from corollary.theory.optimization.objectives import sine_valley, waves
from corollary.theory.prerequisites.gradients import gradient


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def landscape():
    return waves(draw(4, 3), draw(4, seed=1), draw(4, seed=2).abs())


def test_small_steps_in_descent_directions_decrease_f():
    o, x = landscape(), draw(3, seed=3)
    g = gradient(o.f, x)
    for s in draw(100, 3, seed=4):
        down = s if is_descent_direction(g, s) else -s
        assert is_descent_direction(g, down)
        assert o.f(x + 1e-6 * down) < o.f(x)


def test_the_negative_gradient_is_steepest():
    o, x = landscape(), draw(3, seed=3)
    g = gradient(o.f, x)
    s = draw(500, 3, seed=5)
    slopes = (s / s.norm(dim=1, keepdim=True)) @ g
    assert float(slopes.min()) >= -float(g.norm())
    assert float((-g / g.norm()) @ g) == pytest.approx(-float(g.norm()))


def test_zero_and_right_angles_are_not_descent_directions():
    g = torch.tensor([1.0, 0.0]).double()
    assert not is_descent_direction(g, 0 * g)
    s = torch.tensor([0.0, 1.0]).double()
    assert not is_descent_direction(g, s)
    assert float((lambda x: x[0] + x[1] ** 2)(0.1 * s)) > 0  # at a right angle it may climb


def test_the_largest_decrease_along_a_line_is_where_the_slope_vanishes():
    Q = torch.diag(torch.tensor([1.0, 10.0])).double()
    x, f = torch.ones(2).double(), lambda x: 0.5 * x @ Q @ x
    g = gradient(f, x)
    exact = float(g @ g / (g @ Q @ g))
    assert max_decrease_step(f, x, -g) == pytest.approx(exact, rel=1e-6)
    with pytest.raises(InputError, match="descent direction"):
        max_decrease_step(f, x, g)
    with pytest.raises(InputError, match="no largest decrease"):
        max_decrease_step(lambda x: -x.sum(), x, torch.ones(2).double())


def test_minimisers_found_by_scipy_are_stationary():
    o = landscape()
    found = minimize(lambda x: float(o.f(torch.from_numpy(x))), draw(3).numpy(), tol=1e-12)
    assert stationarity(o.f, torch.from_numpy(found.x)) < 1e-4


def test_a_cube_is_stationary_at_zero_and_not_minimal():
    zero = torch.zeros(1).double()
    assert stationarity(lambda x: (x**3).sum(), zero) == 0
    assert float(((zero - 0.1) ** 3).sum()) < 0


@pytest.mark.parametrize(
    "f, kind",
    [
        (lambda x: x[0] ** 2 + x[1] ** 2, "minimum"),
        (lambda x: -(x[0] ** 2) - x[1] ** 2, "maximum"),
        (lambda x: x[0] ** 2 - x[1] ** 2, "saddle"),
        (lambda x: (x**3).sum(), "degenerate"),
        (lambda x: (x**4).sum(), "degenerate"),
        (lambda x: x[0] ** 2 + x[1] ** 3, "degenerate"),
    ],
)
def test_the_hessian_classifies_stationary_points(f, kind):
    assert classify_critical_point(f, torch.zeros(2).double()).kind == kind


def test_a_point_that_is_not_stationary_is_refused():
    with pytest.raises(InputError, match="only stationary points"):
        classify_critical_point(sine_valley().f, torch.ones(1).double())


def test_the_sine_valley_has_one_stationary_point():
    x = torch.linspace(-20, 20, 4001, dtype=torch.float64)
    slope = 2 * x + 3 * torch.sin(2 * x)
    assert int((slope.sign().diff() != 0).sum()) <= 2  # one change of sign, through 0
    assert math.isclose(float(slope[x.abs().argmin()]), 0, abs_tol=1e-9)
