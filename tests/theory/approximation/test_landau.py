import numpy as np
import pytest
import torch
from scipy import integrate, special

from corollary.errors import InputError
from corollary.theory.approximation.landau import (
    landau,
    landau_bound,
    landau_constant,
    landau_order,
    landau_second_moment,
)

X = torch.linspace(0, 1, 101, dtype=torch.float64)


@pytest.mark.parametrize("n", [0, 1, 7, 50])
def test_the_constants_are_those_of_quadrature(n):
    t, w = np.polynomial.legendre.leggauss(n + 2)
    assert landau_constant(n) == pytest.approx(np.sum(w * (1 - t**2) ** n), rel=1e-12)
    moment = np.sum(w * t**2 * (1 - t**2) ** n)
    assert landau_second_moment(n) == pytest.approx(moment, rel=1e-12)
    assert landau_constant(n) == pytest.approx(special.beta(0.5, n + 1), rel=1e-12)


def test_the_constants_fall_and_the_variance_is_small():
    J = [landau_constant(n) for n in range(60)]
    assert all(b < a for a, b in zip(J, J[1:], strict=False))
    ratios = [landau_second_moment(n) / J[n] * 2 * (n + 1) for n in range(60)]
    assert max(ratios) <= 1


def test_the_polynomial_is_that_of_scipys_quadrature():
    def f(t):
        return np.sin(np.pi * t) ** 2

    for x in (0.1, 0.5, 0.97):
        other, _ = integrate.quad(lambda t, x=x: f(t) * (1 - (t - x) ** 2) ** 30, 0, 1)
        ours = landau(lambda t: torch.sin(torch.pi * t) ** 2, 30, torch.tensor([x]).double())
        assert ours.item() == pytest.approx(other / landau_constant(30), abs=1e-7)


def test_it_is_a_polynomial_of_degree_at_most_two_n():
    values = landau(lambda t: torch.exp(t), 3, X)
    powers = (2 * X[:, None] - 1) ** torch.arange(7)
    fitted = powers @ torch.linalg.lstsq(powers, values[:, None]).solution[:, 0]
    assert fitted == pytest.approx(values, abs=1e-10)


def test_with_the_chord_every_continuous_function_is_reached():
    errors = [float((landau(torch.exp, n, X) - torch.exp(X)).abs().max()) for n in (10, 100, 1000)]
    assert errors[0] > 2 * errors[1] > 4 * errors[2]  # like n^(-1/2), for the slopes at the ends
    assert errors[2] < 1e-2


def test_without_the_chord_half_is_lost_at_one():
    """The exercise as stated: for f(t) = t the polynomials tend to 1/2 at 1."""
    one = torch.ones(1, dtype=torch.float64)
    found = [landau(lambda t: t, n, one, chord=False).item() for n in (400, 4000, 40_000)]
    assert found[0] == pytest.approx(0.486, abs=5e-4)
    assert found[2] == pytest.approx(0.5, abs=2e-3)


def test_the_certified_order_meets_the_error():
    n = landau_order(0.4, 0.1, 1.0)
    assert landau_bound(0.4, 0.1, 1.0, n) <= 0.4 < landau_bound(0.4, 0.1, 1.0, n - 1)


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="outside"):
        landau(torch.exp, 3, torch.tensor([1.5]))
    with pytest.raises(InputError, match="at least 1"):
        landau(torch.exp, 0, X)
    with pytest.raises(InputError, match="at least 0"):
        landau_constant(-1)
    with pytest.raises(InputError, match="positive"):
        landau_bound(0.0, 1.0, 1.0, 1)
