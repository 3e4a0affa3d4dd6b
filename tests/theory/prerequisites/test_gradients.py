import math

import pytest
import torch

from corollary.core import loglog_fit
from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import (
    directional_derivative,
    gradient,
    numerical_gradient,
    one_sided_slopes,
)


def f(x):
    return torch.exp(torch.sin(x).sum()) + x.square().sum()


X = torch.tensor([0.3, -0.7, 1.1], dtype=torch.float64)


@pytest.mark.parametrize(("scheme", "order"), [("forward", 1), ("central", 2)])
def test_the_error_is_of_the_order_of_the_scheme(scheme, order):
    h = [2.0**-j for j in range(9, 3, -1)]
    off = [
        float((numerical_gradient(f, X, scheme=scheme, step=s) - gradient(f, X)).norm()) for s in h
    ]
    assert loglog_fit(h, off).slope == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(("scheme", "tol"), [("forward", 1e-6), ("central", 1e-9)])
def test_the_default_step_checks_a_gradient(scheme, tol):
    assert torch.allclose(numerical_gradient(f, X, scheme=scheme), gradient(f, X), atol=tol)


@pytest.mark.parametrize("scheme", ["autograd", "forward", "central"])
def test_the_directional_derivative_is_the_gradient_times_the_direction(scheme):
    u = torch.tensor([1.0, 2.0, -0.5], dtype=torch.float64)
    expected = float(gradient(f, X) @ u)
    assert directional_derivative(f, X, u, scheme=scheme) == pytest.approx(expected, rel=1e-6)


def test_the_modulus_is_not_differentiable_at_zero_and_is_elsewhere():
    one = torch.ones(1, dtype=torch.float64)
    assert not one_sided_slopes(lambda x: x.abs().sum(), 0 * one, one).differentiable
    assert one_sided_slopes(lambda x: x.abs().sum(), 0.5 * one, one).differentiable
    assert one_sided_slopes(f, X, X).differentiable


def test_a_constant_has_gradient_zero():
    assert gradient(lambda x: torch.tensor(1.0), X).tolist() == [0.0, 0.0, 0.0]


def test_the_gradient_works_where_gradients_are_off_and_leaves_the_point_alone():
    with torch.no_grad():
        assert torch.isfinite(gradient(f, X)).all()
    assert not X.requires_grad


def test_bad_input_is_named():
    with pytest.raises(InputError, match="must return one number"):
        gradient(lambda x: x, X)
    with pytest.raises(InputError, match="shape of x"):
        directional_derivative(f, X, X[:2])
    with pytest.raises(InputError, match="step must be a positive number"):
        numerical_gradient(f, X, step=0.0)
    with pytest.raises(InputError, match="x must be finite"):
        gradient(f, X * math.nan)
