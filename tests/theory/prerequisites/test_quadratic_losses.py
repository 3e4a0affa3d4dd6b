import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian
from corollary.theory.prerequisites.quadratic_losses import (
    LINKS,
    LeastSquares,
    MatrixFactorization,
    NonlinearLeastSquares,
    ls_gradient,
)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("s", [1.0, 0.5, 1 / 8])
def test_least_squares_has_the_derivatives_of_autograd(s):
    loss = LeastSquares(normal(8, 3), normal(8, seed=1), s)
    x = normal(3, seed=2)
    assert torch.allclose(loss.gradient(x), gradient(loss.value, x), atol=1e-10)
    assert torch.allclose(loss.hessian(), hessian(loss.value, x), atol=1e-10)
    assert float(torch.linalg.eigvalsh(loss.hessian()).min()) >= -1e-12
    assert float(loss.gradient(loss.minimiser()).norm()) < 1e-10


def test_the_minimiser_is_that_of_lstsq_and_the_shortest():
    A, y = normal(3, 8), normal(3, seed=1)  # more unknowns than equations
    found = LeastSquares(A, y).minimiser()
    other = torch.linalg.lstsq(A, y, driver="gelsd").solution
    assert torch.allclose(found, other, atol=1e-10)


def test_the_mean_gradient_has_the_sign_and_factor_that_the_notes_lost():
    X, y, w = normal(6, 4), normal(6, seed=1), normal(4, seed=2)
    true = gradient(lambda w: (y - X @ w).square().mean(), w)
    notes = X.T @ (y - X @ w) / 6
    assert torch.allclose(ls_gradient(X, y, w), true, atol=1e-10)
    assert torch.allclose(true, -2 * notes, atol=1e-10)


def test_gradient_descent_never_leaves_the_row_space():
    X, y = normal(4, 9), normal(4, seed=1)
    start = normal(9, seed=2)
    w = LeastSquares(X, y, 1 / 4).descend(start, eta=0.05, steps=50)[-1]
    first = LeastSquares(X, y, 1 / 4).descend(start, eta=0.05, steps=1)[-1]
    assert torch.allclose(first, start - 0.05 * ls_gradient(X, y, start))
    kernel = torch.linalg.svd(X).Vh[4:]
    assert float((w - start).norm()) > 0.1
    assert float((kernel @ (w - start)).norm()) < 1e-12


def test_factorisation_gradients_are_those_of_autograd():
    loss = MatrixFactorization(normal(5, 4), rank=2)
    U, V = (a.requires_grad_() for a in loss.start(rng=torch.Generator().manual_seed(1)))
    expected = torch.autograd.grad(loss.value(U, V), (U, V))
    for found, true in zip(loss.gradients(U, V), expected, strict=True):
        assert torch.allclose(found, true, atol=1e-10)


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_alternating_minimisation_ends_at_eckart_and_young(rank):
    R = normal(6, 4)
    loss = MatrixFactorization(R, rank)
    _, V = loss.start(rng=torch.Generator().manual_seed(1))
    U, V, history = loss.alternate(V, steps=300)
    tail = 0.5 * float(torch.linalg.svdvals(R)[rank:].square().sum())
    assert history[-1] == pytest.approx(tail, abs=1e-8)
    assert all(b <= a + 1e-12 for a, b in zip(history, history[1:], strict=False))
    assert max(float(g.norm()) for g in loss.gradients(U, V)) < 1e-3


@pytest.mark.parametrize("name", LINKS)
def test_nonlinear_least_squares_has_the_derivatives_of_autograd(name):
    loss = NonlinearLeastSquares(normal(7, 3), normal(7, seed=1), LINKS[name])
    w = normal(3, seed=2)
    assert torch.allclose(loss.gradient(w), gradient(loss.value, w), atol=1e-9)
    assert torch.allclose(loss.hessian(w), hessian(loss.value, w), atol=1e-9)
    assert float(torch.linalg.eigvalsh(loss.gauss_newton(w)).min()) >= -1e-12


def test_the_identity_link_is_linear_least_squares():
    X, y, w = normal(7, 3), normal(7, seed=1), normal(3, seed=2)
    loss = NonlinearLeastSquares(X, y, LINKS["identity"])
    assert torch.allclose(loss.gradient(w), X.T @ (X @ w - y) / 7, atol=1e-12)
    assert torch.allclose(loss.hessian(w), X.T @ X / 7, atol=1e-12)
    assert torch.allclose(loss.gauss_newton(w), loss.hessian(w), atol=1e-12)


def test_bad_input_is_named():
    with pytest.raises(InputError, match="the same number of rows"):
        LeastSquares(normal(3, 2), normal(2))
    with pytest.raises(InputError, match="the same number of rows"):
        NonlinearLeastSquares(normal(3, 2), normal(2), LINKS["sin"])
    with pytest.raises(InputError, match="rank must lie between 1 and 2"):
        MatrixFactorization(normal(3, 2), rank=3)
    with pytest.raises(InputError, match="steps must be at least 1"):
        MatrixFactorization(normal(3, 2), rank=1).alternate(normal(1, 2), steps=0)
    with pytest.raises(InputError, match="y must be finite"):
        LeastSquares(normal(3, 2), normal(3) * torch.nan)
