import pytest
import torch

from corollary.errors import InputError
from corollary.theory.approximation.nonvanishing import (
    find_nonvanishing_point,
    jets,
    polynomial_degree,
)
from corollary.theory.connectionism.sigmoid import sigmoid_nth_derivative


@pytest.mark.parametrize("sigma", [torch.sigmoid, torch.tanh, torch.sin, torch.exp])
def test_a_point_without_zeros_is_found(sigma):
    found = find_nonvanishing_point(sigma, (-1.0, 1.5), 7)
    assert -1 < found.point < 1.5
    assert found.shares.min() > 0.05
    values = jets(sigma, torch.tensor([found.point]).double(), 7)
    assert bool((values.abs() > 1e-3).all())


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_polynomial_of_degree_k_fails_at_order_k_plus_one(k):
    found = find_nonvanishing_point(lambda z: z**k + z, (-1.0, 1.0), 8)
    assert found.point is None
    assert found.vanishing_order == k + 1


def test_jets_of_the_sigmoid_are_its_closed_forms():
    x = torch.linspace(-2, 2, 9, dtype=torch.float64)
    for k, row in enumerate(jets(torch.sigmoid, x, 5)):
        if k > 0:
            assert row == pytest.approx(sigmoid_nth_derivative(x, k), abs=1e-12)


def test_the_second_derivative_of_a_square_is_two_and_not_zero():
    """The notes' proof says that a polynomial of degree k has vanishing k-th derivative."""
    rows = jets(torch.square, torch.zeros(1), 3)
    assert rows[:, 0].tolist() == [0.0, 0.0, 2.0, 0.0]


@pytest.mark.parametrize("sigma", [torch.tanh, torch.relu, torch.sin, torch.exp])
def test_activations_are_not_polynomials(sigma):
    assert polynomial_degree(sigma) is None


def test_degrees_of_polynomials_are_found():
    assert [polynomial_degree(lambda z, k=k: z**k + 1) for k in range(5)] == [0, 1, 2, 3, 4]


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="low < high"):
        find_nonvanishing_point(torch.sin, (1.0, 0.0), 3)
    with pytest.raises(InputError, match="at least 0"):
        jets(torch.sin, torch.zeros(1), -1)
