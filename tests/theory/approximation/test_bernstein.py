import pytest
import torch
from scipy import stats

from corollary.errors import InputError
from corollary.theory.approximation.bernstein import (
    bernstein,
    bernstein_basis,
    bernstein_degree,
    modulus_bound,
)

X = torch.linspace(0, 1, 201, dtype=torch.float64)


@pytest.mark.parametrize("m", [1, 3, 50, 2000])
def test_the_basis_is_the_binomial_law(m):
    ours = bernstein_basis(m, X[::20])
    theirs = stats.binom.pmf(torch.arange(m + 1).numpy(), m, X[::20, None].numpy())
    assert torch.allclose(ours, torch.from_numpy(theirs), rtol=0, atol=1e-10)


@pytest.mark.parametrize("m", [1, 10, 200, 2000])
def test_the_three_moments_are_exact(m):
    basis, k = bernstein_basis(m, X), torch.arange(m + 1, dtype=torch.float64) / m
    assert basis.sum(1) == pytest.approx(torch.ones_like(X), abs=1e-10)
    assert basis @ k == pytest.approx(X, abs=1e-10)
    spread = (basis * (X[:, None] - k) ** 2).sum(1)
    assert spread == pytest.approx(X * (1 - X) / m, abs=1e-10)


def test_sums_from_one_as_printed_in_the_notes_are_wrong():
    x = torch.tensor([0.2], dtype=torch.float64)
    basis, k = bernstein_basis(5, x)[0], torch.arange(6) / 5
    assert float(basis[1:].sum()) == pytest.approx(0.672, abs=5e-4)
    spread = basis * (x - k) ** 2
    assert float(spread[1:].sum()) == pytest.approx(0.0189, abs=5e-5)
    assert float(spread.sum()) == pytest.approx(0.032, abs=1e-8)


@pytest.mark.parametrize("m", [5, 20])
def test_a_basis_polynomial_is_largest_at_k_over_m(m):
    fine = torch.linspace(0, 1, m * 100 + 1, dtype=torch.float64)
    places = fine[bernstein_basis(m, fine).argmax(0)]
    assert places.tolist() == pytest.approx([k / m for k in range(m + 1)], abs=1e-9)


@pytest.mark.parametrize("x", [-0.1, 1.1])
def test_points_outside_the_interval_are_refused(x):
    with pytest.raises(InputError, match="outside"):
        bernstein_basis(3, torch.tensor([x]))


def test_a_degree_below_one_is_refused():
    with pytest.raises(InputError, match="degree"):
        bernstein_basis(0, X)


def test_affine_functions_are_reproduced():
    assert bernstein(lambda x: 3 - 2 * x, 7, X) == pytest.approx(3 - 2 * X, abs=1e-12)


@pytest.mark.parametrize("m", [4, 16, 64, 256])
def test_the_error_stays_under_the_modulus_bound(m):
    error = (bernstein(lambda x: (x - 0.5).abs(), m, X) - (X - 0.5).abs()).abs().max()
    assert error <= modulus_bound(m**-0.5)


def test_at_a_jump_the_error_stays_a_half():
    def step(x):
        return (x >= 0.5).to(x)

    errors = [(bernstein(step, m, X) - step(X)).abs().max() for m in (10, 100, 1000)]
    assert min(errors) > 0.3


def test_the_prescribed_degree_is_past_the_quotient():
    assert bernstein_degree(0.1, 0.05, 1.0) == 2001
    with pytest.raises(InputError, match="positive"):
        bernstein_degree(0.0, 0.1, 1.0)
