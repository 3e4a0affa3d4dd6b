import math

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.taylor import (
    derivatives,
    lagrange_bound,
    taylor_polynomial,
    taylor_remainder_rate,
    taylor_remainders,
)

FUNCTIONS = {"exp": torch.exp, "sin": torch.sin, "1/(1+x)": lambda x: 1 / (1 + x)}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_the_remainder_is_of_order_k_plus_one(name, k):
    steps = 0.005 * 2.0 ** torch.arange(4, dtype=torch.float64)
    rate = taylor_remainder_rate(FUNCTIONS[name], 0.6, k, steps=steps)
    assert rate == pytest.approx(k + 1, abs=0.05)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_with_k_derivatives_only_the_order_is_k_plus_a_half(k):
    assert taylor_remainder_rate(lambda x: x.abs() ** (k + 0.5), 0.0, k) == pytest.approx(k + 0.5)


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4])
def test_the_bound_of_lagrange_is_never_violated(k):
    steps = torch.linspace(0.01, 2, 50, dtype=torch.float64)
    # |sin| and its derivatives are at most 1; those of exp on [-1, 3] at most e^3
    assert (taylor_remainders(torch.sin, 1.0, k, steps) <= lagrange_bound(1.0, k, steps)).all()
    bound = lagrange_bound(math.exp(3), k, steps)
    assert (taylor_remainders(torch.exp, 1.0, k, steps) <= bound).all()


def test_the_quadratic_term_carries_one_half():
    """The notes' k = 3 display has f''(a)(x - a)² without it: 2 x² for f = x²."""
    x = torch.tensor([3.0], dtype=torch.float64)
    assert taylor_polynomial(torch.square, 0.0, 2)(x).item() == 9.0
    assert derivatives(torch.square, 0.0, 3).tolist() == [0.0, 0.0, 2.0, 0.0]


def test_bad_input_is_named():
    with pytest.raises(InputError, match="at least 0"):
        taylor_polynomial(torch.exp, 0.0, -1)
    with pytest.raises(InputError, match="must be finite"):
        taylor_polynomial(torch.exp, math.nan, 1)
    with pytest.raises(InputError, match="equals its Taylor polynomial"):
        taylor_remainder_rate(torch.square, 0.0, 2)
    with pytest.raises(InputError, match="steps must be positive"):
        taylor_remainders(torch.exp, 0.0, 1, torch.tensor([-1.0]))
