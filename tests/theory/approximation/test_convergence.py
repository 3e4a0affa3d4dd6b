import pytest
import torch

from corollary.errors import InputError
from corollary.theory.approximation.bernstein import bernstein
from corollary.theory.approximation.convergence import uniform_convergence

X = torch.linspace(0, 1, 501, dtype=torch.float64)
ORDERS = list(range(1, 41))


def kink(x):
    return (x - 0.5).abs()


def test_bernstein_polynomials_converge_uniformly():
    found = uniform_convergence(lambda m: lambda x: bernstein(kink, m, x), kink, X, ORDERS)
    assert found.converges
    assert found.tails[-1] < 0.08


def test_powers_do_not_converge_uniformly():
    found = uniform_convergence(lambda m: lambda x: x**m, lambda x: (x == 1).to(x), X, ORDERS)
    assert not found.converges
    assert found.tails.min() > 0.9


def test_the_alternating_sequence_satisfies_the_notes_wording_and_does_not_converge():
    """For all eps there is an m with an error below eps, as the notes ask: m = 2."""
    found = uniform_convergence(lambda m: lambda x: kink(x) + m % 2, kink, X, [*ORDERS, 41])
    assert found.once_small == 0.0
    assert found.tails.tolist() == [1.0] * 41
    assert not found.converges


def test_a_sequence_that_has_arrived_converges():
    assert uniform_convergence(lambda m: kink, kink, X, [1, 2, 3, 4]).converges


def test_orders_that_do_not_grow_are_refused():
    with pytest.raises(InputError, match="growing"):
        uniform_convergence(lambda m: kink, kink, X, [1, 3, 2, 4])
