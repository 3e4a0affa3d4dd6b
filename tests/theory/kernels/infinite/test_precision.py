"""Kernels against forty digits of mpmath, where double precision runs out of them."""

import itertools

import mpmath
import pytest
import torch

from corollary.core import generator
from corollary.theory.kernels.arc_cosine import relu_dual, relu_dual_derivative
from corollary.theory.kernels.infinite import (
    Dense,
    Erf,
    Gelu,
    Relu,
    Residual,
    network,
)

SMOOTH = {"erf": Erf(), "gelu": Gelu()}


def exact_dual(name, q1, q2, c):
    """F and its derivative by the textbook formulas."""
    q1, q2, c = (mpmath.mpf(v) for v in (q1, q2, c))
    if name == "relu":
        root = mpmath.sqrt(q1 * q2)
        angle = mpmath.acos(c / root)
        f = root * (mpmath.sin(angle) + (mpmath.pi - angle) * mpmath.cos(angle))
        return f / (2 * mpmath.pi), (mpmath.pi - angle) / (2 * mpmath.pi)
    if name == "erf":
        product = (1 + 2 * q1) * (1 + 2 * q2)
        f = 2 / mpmath.pi * mpmath.asin(2 * c / mpmath.sqrt(product))
        return f, 4 / mpmath.pi / mpmath.sqrt(product - 4 * c * c)
    d = (1 + q1) * (1 + q2) - c * c
    a = 0.25 + mpmath.asin(c / mpmath.sqrt((1 + q1) * (1 + q2))) / (2 * mpmath.pi)
    b = 1 / (2 * mpmath.pi * mpmath.sqrt(d))
    s = 1 / (1 + q1) + 1 / (1 + q2) - 1
    rest = q1 * q2 + s * c * c
    return c * a + b * rest, a + c * b * (1 + 2 * s + rest / d)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("ratio", [1.0, 0.5, 0.0, -0.5])
@pytest.mark.parametrize("q", [1e-6, 1.0, 1e8, 1e14, 1e16, 1e24])
def test_variances_of_any_size_keep_twelve_digits(name, ratio, q):
    with mpmath.workdps(60):
        exact = exact_dual(name, q, q, ratio * q)
    args = [torch.tensor(v, dtype=torch.float64) for v in (q, q, ratio * q)]
    # GELU at a negative ratio is a difference: F of terms of size q, its slope of size 1
    sizes = (q, 1.0) if name == "gelu" and ratio < 0 else (0.0, 0.0)
    for mine, true, size in zip(SMOOTH[name].dual(*args), exact, sizes, strict=True):
        assert float(mine) == pytest.approx(float(true), rel=1e-12, abs=1e-12 * size)


@pytest.mark.parametrize("name", SMOOTH)
def test_the_variance_of_any_size_is_f_at_equal_arguments(name):
    q = torch.logspace(-6, 24, 31, dtype=torch.float64)
    ratio = SMOOTH[name].variance(q) / SMOOTH[name].dual(q, q, q)[0]
    assert torch.allclose(ratio, torch.ones_like(q), rtol=1e-14)


@pytest.mark.parametrize("v", [0.0, 1e-16, 1e-15, 5e-15, 1e-12, 1e-6, 0.00999, 0.01001, 0.5])
def test_rectifiers_of_nearly_opposite_inputs_keep_their_digits(v):
    u = -1 + v  # which is rounded: the reference takes the same number
    with mpmath.workdps(60):
        exact = [float(value) for value in exact_dual("relu", 1.0, 1.0, u)]
    one, c = (torch.tensor(value, dtype=torch.float64) for value in (1.0, u))
    for mine in (Relu().dual(one, one, c), (relu_dual(c), relu_dual_derivative(c))):
        assert [float(value) for value in mine] == pytest.approx(exact, rel=1e-12, abs=1e-50)


@pytest.mark.parametrize("backend", ["torch", "numba"])
def test_kernels_of_rectifiers_of_nearly_opposite_inputs_are_not_negative(backend):
    x, moved = torch.randn(2, 80, 5, generator=generator(0, "opposite"), dtype=torch.float64)
    x = torch.cat([x, -x * (1 + 1e-8 * moved)])
    net = network(Dense(), Residual(Dense()), Relu(), Dense())
    assert float(net.kernel(x, backend=backend).nngp.min()) >= 0


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("size", [1e4, 1e7, 1e8, 1e12])
def test_large_inputs_have_the_kernels_of_exact_arithmetic(name, size):
    x = size * torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.2], [2.0, 4.0, 6.0]]).double()
    net = network(Dense(), SMOOTH[name], Dense())
    for k in (net.kernel(x).ntk, net.kernel(x, x.clone()).ntk):
        for i, j in itertools.product(range(3), repeat=2):
            with mpmath.workdps(60):
                a, b = ([mpmath.mpf(v) for v in x[row].tolist()] for row in (i, j))
                q1, q2, c = (mpmath.fdot(s, t) / 3 for s, t in ((a, a), (b, b), (a, b)))
                f, slope = exact_dual(name, q1, q2, c)
            assert float(k[i, j]) == pytest.approx(float(f + c * slope), rel=1e-12)
