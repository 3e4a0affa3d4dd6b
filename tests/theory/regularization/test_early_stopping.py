import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.regularization.early_stopping import (
    early_stopping_filter,
    matched_time,
    ridge_filter,
)


def problem(seed=0):
    rng = torch.Generator().manual_seed(seed)
    H = matrix_with_spectrum(torch.tensor([0.01, 0.1, 1.0, 3.0]).double(), rng=rng)
    return H, torch.randn(4, generator=rng).double()


@pytest.mark.parametrize("k", [0, 1, 7, 100])
def test_the_filter_is_descent(k):
    H, target = problem()
    w = torch.zeros(4).double()
    for _ in range(k):
        w = w - 0.5 * H @ (w - target)
    found = early_stopping_filter(H, 0.5, k).apply(target)
    torch.testing.assert_close(found, w, atol=1e-10, rtol=0)


@pytest.mark.parametrize("lam", [0.01, 1.0, 10.0])
def test_the_filter_is_ridge(lam):
    H, target = problem()
    w = torch.linalg.solve(H + lam * torch.eye(4).double(), H @ target)
    torch.testing.assert_close(ridge_filter(H, lam).apply(target), w, atol=1e-10, rtol=0)


def test_small_eigenvalues_agree_to_second_order_at_the_matched_time():
    eta, lam = 0.01, 0.5
    x = torch.logspace(-4, -1, 10).double()
    H = torch.diag(lam * x)
    gap = early_stopping_filter(H, eta, matched_time(eta, lam)).kept - ridge_filter(H, lam).kept
    assert bool((gap <= 0.51 * x**2).all()) and bool((gap >= 0.4 * x**2).all())


def test_the_printed_time_is_off_by_a_factor_of_a_hundred():
    """Perez Jensen, Section 8.3: eta = 0.1, mu = 0.5, eigenvalue 0.01."""
    H = torch.tensor([[0.01]]).double()
    ridge = ridge_filter(H, 0.5).kept.item()
    right = early_stopping_filter(H, 0.1, matched_time(0.1, 0.5)).kept.item()
    printed = early_stopping_filter(H, 0.1, 0.1 / 0.5).kept.item()
    assert (round(ridge, 4), round(right, 4), round(printed, 4)) == (0.0196, 0.0198, 0.0002)


def test_a_penalty_without_the_half_is_one_of_twice_the_strength():
    """Lucchi, Problem 2d: the minimiser of R + lam ||w||^2 is the filter of 2 lam, not of lam."""
    H, target = problem()
    lam = 0.3
    w = torch.linalg.solve(H + 2 * lam * torch.eye(4).double(), H @ target)
    torch.testing.assert_close(ridge_filter(H, 2 * lam).apply(target), w)
    assert float((ridge_filter(H, lam).apply(target) - w).norm()) > 0.01


def test_an_unstable_step_and_a_curvature_that_falls_are_refused():
    H, _ = problem()
    with pytest.raises(InputError, match="2/lambda_max"):
        early_stopping_filter(H, 0.7, 3)
    with pytest.raises(InputError, match="whole number"):
        early_stopping_filter(H, 0.5, 2.5)
    with pytest.raises(InputError, match="semi-definite"):
        ridge_filter(-H, 1.0)
    with pytest.raises(InputError, match="positive"):
        matched_time(0.0, 1.0)
