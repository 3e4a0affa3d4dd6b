import math

import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.approximation.grids import box_grid
from corollary.theory.approximation.ridge_sums import (
    exponents,
    monomial_as_ridge_sum,
    ridge_coefficients,
    ridge_features,
    ridge_fit,
    ridge_polynomial_basis,
)


def cloud(n, count=50):
    return 2 * torch.rand(count, n, generator=generator(0), dtype=torch.float64) - 1


@pytest.mark.parametrize("alpha", [(1, 1), (3,), (2, 1), (1, 1, 1), (2, 3, 1), (0, 4, 0, 1)])
def test_a_monomial_is_its_sum_of_powers(alpha):
    x = cloud(len(alpha))
    ridge = monomial_as_ridge_sum(alpha)
    exact = x.pow(x.new_tensor(alpha)).prod(1)
    assert ridge(x) == pytest.approx(exact, abs=1e-10)
    assert len(ridge.weights) <= math.ceil(math.prod(a + 1 for a in alpha) / 2)


@pytest.mark.parametrize(("n", "k"), [(1, 4), (2, 3), (3, 3), (4, 2)])
def test_there_are_binomially_many_monomials_and_generic_forms_span_them(n, k):
    count = math.comb(n + k - 1, k)
    assert len(exponents(n, k)) == len(set(exponents(n, k))) == count
    theta = torch.randn(count, n, generator=generator(1), dtype=torch.float64)
    assert torch.linalg.matrix_rank(ridge_coefficients(theta, k)) == count


def test_a_random_cubic_in_three_variables_is_a_sum_of_ten_cubes():
    theta = torch.randn(10, 3, generator=generator(2), dtype=torch.float64)
    c = torch.randn(10, generator=generator(3), dtype=torch.float64)
    form, x = ridge_polynomial_basis(c, theta, 3), cloud(3)
    exact = sum(w * x.pow(x.new_tensor(a)).prod(1) for w, a in zip(c, exponents(3, 3), strict=True))
    assert form(x) == pytest.approx(exact, abs=1e-10)


def test_too_few_forms_are_refused():
    theta = torch.randn(9, 3, generator=generator(2), dtype=torch.float64)
    with pytest.raises(InputError, match="9 of 10 dimensions"):
        ridge_polynomial_basis(torch.ones(10).double(), theta, 3)
    with pytest.raises(InputError, match="not all 0"):
        monomial_as_ridge_sum((0, 0))
    with pytest.raises(InputError, match="degree"):
        ridge_features(theta, 0, cloud(3))


def test_the_error_of_ridge_fits_falls_with_the_number_of_directions():
    x = box_grid(2, 21, -1.0, 1.0)
    y = torch.exp(-2 * (x**2).sum(1))
    angle = torch.tensor([0.0, 4, 2, 6, 1, 5, 3, 7], dtype=torch.float64) * math.pi / 8
    theta = torch.stack([angle.cos(), angle.sin()], 1)
    errors = [float((ridge_fit(y, theta[:m], 12, x) - y).abs().max()) for m in (1, 2, 4, 8)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.01 < 0.1 < errors[0]
