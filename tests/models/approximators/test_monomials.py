import pytest
import torch

from corollary.core import loglog_fit
from corollary.errors import InputError
from corollary.models.approximators.monomials import monomial_network, polynomial_network
from corollary.theory.approximation.nonvanishing import find_nonvanishing_point

X = torch.linspace(-1, 1, 101, dtype=torch.float64)[:, None]


def worst(net, k):
    return float((net(X) - X[:, 0] ** k).abs().max().detach())


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(("central", "order"), [(False, 1), (True, 2)])
def test_the_error_is_of_the_order_of_the_difference(k, central, order):
    b = find_nonvanishing_point(torch.sigmoid, (-2.0, 2.0), k + 2).point
    steps = [0.01, 0.02, 0.04, 0.08]
    errors = [worst(monomial_network(torch.sigmoid, k, b, h, central=central), k) for h in steps]
    assert loglog_fit(steps, errors).slope == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("k", [0, 1, 4])
def test_a_monomial_has_k_plus_one_units(k):
    net = monomial_network(torch.exp, k, 0.0, 1e-2)
    assert net.units == k + 1
    assert worst(net, k) < 0.1


def test_for_tiny_steps_digits_are_lost():
    errors = [worst(monomial_network(torch.exp, 3, 0.0, h), 3) for h in (1e-2, 1e-3, 1e-5)]
    assert errors[1] < errors[0] < errors[2]


@pytest.mark.parametrize("sigma", [torch.sigmoid, torch.tanh])
def test_a_bias_where_the_derivative_vanishes_is_refused(sigma):
    with pytest.raises(InputError, match="order 2 vanishes"):
        monomial_network(sigma, 2, 0.0, 0.1)


def test_the_error_of_a_polynomial_is_at_most_that_of_its_monomials():
    c = torch.tensor([0.5, -2.0, 0.0, 3.0], dtype=torch.float64)
    net = polynomial_network(c, torch.exp, 0.0, 0.05)
    exact = 0.5 - 2 * X[:, 0] + 3 * X[:, 0] ** 3
    parts = [worst(monomial_network(torch.exp, k, 0.0, 0.05, central=True), k) for k in range(4)]
    budget = sum(abs(float(w)) * e for w, e in zip(c, parts, strict=True))
    assert (net(X) - exact).abs().max() <= budget * (1 + 1e-9)
    assert net.units == 1 + 2 + 4


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="step h > 0"):
        monomial_network(torch.exp, 2, 0.0, 0.0)
    with pytest.raises(InputError, match="zero polynomial"):
        polynomial_network(torch.zeros(2).double(), torch.exp, 0.0, 0.1)
