import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.approximators.lifting import Ridge, lift
from corollary.theory.approximation.ridge_sums import monomial_as_ridge_sum


def product_ridges():
    """x1 x2 as two squares of linear forms."""
    form = monomial_as_ridge_sum((1, 1))
    parts = zip(form.directions, form.weights.tolist(), strict=True)
    return [Ridge(theta, lambda z, c=c: c * z**2) for theta, c in parts]


@pytest.mark.parametrize("sigma", [torch.tanh, torch.sigmoid, torch.sin])
@pytest.mark.parametrize("eps", [0.3, 1e-3])
def test_the_error_is_kept_when_the_parts_keep_their_budget(sigma, eps):
    made = lift(product_ridges(), sigma, eps, rng=generator(0))
    x = 2 * torch.rand(2000, 2, generator=generator(1), dtype=torch.float64) - 1
    assert max(made.errors) <= made.budget == eps / 4
    assert (made.network(x) - x.prod(1)).abs().max() <= eps
    assert made.network.units == sum(made.units)


def test_without_biases_a_square_is_out_of_reach_of_tanh():
    """Theorem 22 as printed: all networks are odd, so the error for x² on [-1, 1] is 1 or more."""
    theta = torch.ones(1, dtype=torch.float64)
    made = lift([Ridge(theta, torch.square)], torch.tanh, 0.1, bias=False, rng=generator(0))
    x = torch.linspace(-1, 1, 201, dtype=torch.float64)[:, None]
    assert (made.network(x) - x[:, 0] ** 2).abs().max() >= 1
    assert made.errors[0] > made.budget
    odd = made.network(x) + made.network(-x)
    assert odd.abs().max() < 1e-9


def test_an_empty_decomposition_is_refused():
    with pytest.raises(InputError, match="needs a ridge"):
        lift([], torch.tanh, 0.1, rng=generator(0))
