import math

import pytest
import torch
from scipy import integrate

from corollary.errors import InputError, NotFiniteError
from corollary.theory.kernels.arc_cosine import relu_dual, relu_dual_derivative
from corollary.theory.kernels.infinite import (
    Abs,
    Cos,
    Erf,
    Gelu,
    Identity,
    LeakyRelu,
    Rbf,
    Relu,
    Series,
    Sigmoid,
    Silu,
    Sin,
    Softplus,
    Tanh,
)
from corollary.theory.kernels.infinite.angle import angle, angle_polynomial

CLOSED = [Relu(), LeakyRelu(0.3), Abs(), Identity(), Erf(), Gelu(), Sin(1.3, 0.4), Cos(), Rbf(0.7)]
SMOOTH = [Tanh(), Sigmoid(), Silu(), Softplus()]
CASES = [(1.0, 1.0, 0.3), (0.5, 1.7, -0.6), (0.8, 0.8, 0.79), (1.2, 0.3, 0.0)]


def expectation(f, q1, q2, c):
    """E f(z) f(z') by adaptive integration in polar pieces: independent of our quadrature."""
    rest = math.sqrt(max(q2 - c * c / q1, 0.0))

    def integrand(t, s):
        z = math.sqrt(q1) * s
        w = c / math.sqrt(q1) * s + rest * t
        return f(z) * f(w) * math.exp(-(s * s + t * t) / 2) / (2 * math.pi)

    def inner(s):
        kink = -(c / math.sqrt(q1)) * s / rest  # where the second argument changes sign
        points = [kink] if abs(kink) < 9 else None
        return integrate.quad(integrand, -9, 9, args=(s,), points=points, epsabs=1e-11)[0]

    return integrate.quad(inner, -9, 9, points=[0.0], epsabs=1e-10, limit=100)[0]


@pytest.mark.parametrize("phi", CLOSED, ids=lambda p: repr(p)[:24])
def test_closed_forms_equal_the_hermite_series(phi):
    series = Series(phi.function, degree=200)
    for q1, q2, c in CASES:
        args = [torch.tensor([v], dtype=torch.float64) for v in (q1, q2, c)]
        for mine, other in zip(phi.dual(*args), series.dual(*args), strict=True):
            kinked = hasattr(phi, "bend")  # the coefficients of a step decay like k^(-3/4)
            assert mine.item() == pytest.approx(other.item(), abs=4e-3 if kinked else 2e-8)


PLAIN = [
    (Erf(), math.erf),
    (Gelu(), lambda z: z * (1 + math.erf(z / 2**0.5)) / 2),
    (Tanh(), math.tanh),
    (Sigmoid(), lambda z: 1 / (1 + math.exp(-z))),
    (Silu(), lambda z: z / (1 + math.exp(-z))),
]


@pytest.mark.parametrize(("phi", "f"), PLAIN, ids=["erf", "gelu", "tanh", "sigmoid", "silu"])
def test_expectations_equal_scipys_integrals(phi, f):
    q1, q2, c = CASES[1]
    args = [torch.tensor([v], dtype=torch.float64) for v in (q1, q2, c)]
    assert phi.dual(*args)[0].item() == pytest.approx(expectation(f, q1, q2, c), abs=1e-8)


@pytest.mark.parametrize("phi", CLOSED + SMOOTH, ids=lambda p: repr(p)[:24])
def test_the_slope_is_the_derivative_of_f_in_the_covariance(phi):
    q = torch.tensor([1.0, 0.7], dtype=torch.float64)
    c = torch.tensor([0.2, -0.4], dtype=torch.float64)
    h = 1e-5
    difference = (phi.dual(q, q, c + h)[0] - phi.dual(q, q, c - h)[0]) / (2 * h)
    assert torch.allclose(phi.dual(q, q, c)[1], difference, atol=1e-7)


@pytest.mark.parametrize("phi", CLOSED + SMOOTH, ids=lambda p: repr(p)[:24])
def test_the_variance_is_f_at_equal_arguments(phi):
    q = torch.tensor([0.0, 0.3, 1.0, 2.0], dtype=torch.float64)
    assert torch.allclose(phi.variance(q), phi.dual(q, q, q)[0], atol=1e-12)


def test_the_remainder_of_a_series_bounds_its_error():
    one = torch.ones(1, dtype=torch.float64)
    for degree in (4, 16, 64):
        short = Series(torch.tanh, degree)
        exact = Series(torch.tanh, 300).dual(one, one, 0.9 * one)[0]
        assert (short.dual(one, one, 0.9 * one)[0] - exact).abs() <= short.remainder(one) + 1e-14


def test_an_activation_that_overflows_is_named():
    with pytest.raises(NotFiniteError, match="not finite"):
        Series(lambda z: torch.exp(z**2)).dual(*[torch.full((1,), 9.0, dtype=torch.float64)] * 3)


def test_relu_values_known_by_hand():
    u = torch.tensor([1.0, 0.0, -1.0], dtype=torch.float64)
    assert torch.allclose(relu_dual(u), torch.tensor([0.5, 1 / (2 * math.pi), 0.0]).double())
    assert torch.allclose(relu_dual_derivative(u), torch.tensor([0.5, 0.25, 0.0]).double())
    assert relu_dual(torch.tensor(1 + 1e-9)).item() == 0.5
    with pytest.raises(InputError, match="correlations"):
        relu_dual(torch.tensor(1.5))


def test_relu_values_equal_scipys_integrals():
    for u in (-0.6, 0.2, 0.9):
        exact = expectation(lambda z: max(z, 0.0), 1.0, 1.0, u)
        assert relu_dual(torch.tensor(u, dtype=torch.float64)).item() == pytest.approx(
            exact, abs=1e-7
        )


@pytest.mark.parametrize(("name", "tolerance"), [("float32", 3e-7), ("float64", 1e-14)])
def test_the_polynomial_gives_the_angle_with_full_relative_precision(name, tolerance):
    u = torch.logspace(-14, 0, 400, dtype=torch.float64)
    even, odd = ([float(c) for c in part] for part in angle_polynomial(name))
    p = sum(c * u ** (2 * k) for k, c in enumerate(reversed(even)))
    p = p + u * sum(c * u ** (2 * k) for k, c in enumerate(reversed(odd)))
    assert ((u.sqrt() * p - angle(u)).abs() / angle(u)).max() < tolerance
