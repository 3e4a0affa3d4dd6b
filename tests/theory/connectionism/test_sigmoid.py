import math

import pytest
import scipy.special
import torch
from hypothesis import given
from hypothesis import strategies as st

from corollary.errors import InputError
from corollary.theory.connectionism.sigmoid import (
    SIGMOID,
    TANH,
    logit,
    sigmoid,
    sigmoid_derivative,
    sigmoid_derivative_polynomial,
    sigmoid_nth_derivative,
    tanh,
    tanh_derivative,
)

Z = torch.arange(-300, 301, dtype=torch.float64) / 10


def slope(f, z):
    z = z.clone().requires_grad_(True)
    return torch.autograd.grad(f(z).sum(), z, create_graph=True)[0]


def test_the_sigmoid_is_that_of_scipy_and_of_torch():
    torch.testing.assert_close(sigmoid(Z), torch.from_numpy(scipy.special.expit(Z.numpy())))
    assert torch.equal(sigmoid(Z), torch.sigmoid(Z))


def test_the_sigmoid_is_symmetric_increasing_and_tends_to_0_and_1():
    torch.testing.assert_close(sigmoid(-Z), 1 - sigmoid(Z), rtol=0, atol=1e-15)
    assert bool((sigmoid(Z).diff() > 0).all())
    ends = sigmoid(torch.tensor([-math.inf, math.inf]))
    assert ends.tolist() == [0, 1]


@pytest.mark.parametrize("activation", [SIGMOID, TANH])
def test_nothing_overflows_in_float32(activation):
    z = torch.tensor([-1e4, -1000.0, 1000.0, 1e4])
    assert bool(activation(z).isfinite().all())
    assert activation.derivative(z).tolist() == [0, 0, 0, 0]
    assert activation(z)[[0, -1]].tolist() == list(activation.range)


@pytest.mark.parametrize("activation", [SIGMOID, TANH])
def test_the_slope_is_that_of_autograd_and_its_maximum_is_attained_at_zero(activation):
    torch.testing.assert_close(
        activation.derivative(Z), slope(activation, Z), rtol=1e-9, atol=1e-15
    )
    values = activation.derivative(Z)
    assert Z[values.argmax()] == 0
    assert values.max() == activation.lipschitz


def test_the_bound_of_a_quarter_is_not_strict():
    assert sigmoid_derivative(torch.zeros(1)).item() == 0.25


@given(st.floats(-50, 50), st.floats(-50, 50))
def test_the_lipschitz_constants_hold(a, b):
    z = torch.tensor([a, b], dtype=torch.float64)
    for activation in (SIGMOID, TANH):
        low, high = activation(z).sort().values
        assert high - low <= activation.lipschitz * abs(a - b) + 1e-15


def test_the_slope_keeps_its_digits_in_the_right_tail():
    z = torch.tensor([40.0], dtype=torch.float64)
    assert sigmoid_derivative(z).item() == pytest.approx(math.exp(-40), rel=1e-12)
    assert (sigmoid(z) * (1 - sigmoid(z))).item() == 0  # what the plain formula gives


def test_the_polynomials_have_stirling_numbers_as_coefficients():
    for k in range(12):
        j = range(k + 1)
        expected = [
            (-1) ** i * math.factorial(i) * int(scipy.special.stirling2(k + 1, i + 1, exact=True))
            for i in j
        ]
        assert sigmoid_derivative_polynomial(k) == (0, *expected)


def test_the_second_derivative_is_the_one_of_the_notes():
    s = sigmoid(Z)
    expected = s * (1 - s) * (1 - 2 * s)
    torch.testing.assert_close(sigmoid_nth_derivative(Z, 2), expected, rtol=0, atol=1e-15)


def test_derivatives_up_to_order_five_are_those_of_nested_autograd():
    z = Z.clone().requires_grad_(True)
    value = sigmoid(z)
    for k in range(6):
        torch.testing.assert_close(sigmoid_nth_derivative(Z, k), value.detach(), rtol=0, atol=1e-8)
        (value,) = torch.autograd.grad(value.sum(), z, create_graph=True)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_derivatives_keep_their_digits_in_both_tails(k):
    z = torch.tensor([-38.0, 38.0], dtype=torch.float64)
    left, right = sigmoid_nth_derivative(z, k).tolist()
    assert left == pytest.approx(math.exp(-38), rel=1e-12)
    assert right == pytest.approx((-1) ** (k + 1) * math.exp(-38), rel=1e-12)


def test_a_negative_order_is_refused():
    with pytest.raises(InputError, match="at least 0, got -1"):
        sigmoid_derivative_polynomial(-1)


def test_tanh_is_the_logistic_form_odd_and_solves_its_equation():
    torch.testing.assert_close(tanh(Z), 2 * sigmoid(2 * Z) - 1, rtol=0, atol=1e-12)
    assert torch.equal(tanh(-Z), -tanh(Z))
    torch.testing.assert_close(tanh_derivative(Z), 1 - tanh(Z) ** 2, rtol=0, atol=1e-15)


def test_the_logit_is_the_inverse_both_ways():
    z = torch.linspace(-12, 12, 101, dtype=torch.float64)
    torch.testing.assert_close(logit(sigmoid(z)), z, rtol=0, atol=1e-10)
    t = torch.linspace(1e-6, 1 - 1e-6, 101, dtype=torch.float64)
    torch.testing.assert_close(sigmoid(logit(t)), t, rtol=0, atol=1e-10)
    torch.testing.assert_close(logit(t), torch.from_numpy(scipy.special.logit(t.numpy())))


@pytest.mark.parametrize("t", [-0.1, 1.1, math.nan, math.inf])
@pytest.mark.parametrize("ends", ["refuse", "infinite"])
def test_the_logit_of_what_is_no_probability_is_refused(t, ends):
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        logit(torch.tensor([0.5, t]), ends=ends)


def test_the_ends_are_refused_or_infinite_as_wished():
    ends = torch.tensor([0.0, 1.0])
    with pytest.raises(InputError, match="pass ends='infinite'"):
        logit(ends)
    assert logit(ends, ends="infinite").tolist() == [-math.inf, math.inf]
