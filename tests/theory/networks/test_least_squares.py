import numpy as np
import pytest
import torch
from sklearn.linear_model import LinearRegression

from corollary.errors import InputError
from corollary.models.units import LinearUnit
from corollary.theory.networks.least_squares import ols, ols_gradient
from corollary.train import fit


def draw(s: int, d: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(seed)
    X = torch.randn(s, d, generator=rng, dtype=torch.float64)
    return X, torch.randn(s, generator=rng, dtype=torch.float64)


def test_the_gradient_vanishes_at_the_solution_and_is_that_of_half_the_sum():
    X, y = draw(20, 4)
    assert ols_gradient(X, y, ols(X, y).w).abs().max() < 1e-12
    w = torch.ones(4, dtype=torch.float64, requires_grad=True)
    (expected,) = torch.autograd.grad(0.5 * (X @ w - y).square().sum(), w)
    torch.testing.assert_close(ols_gradient(X, y, w.detach()), expected)


def test_both_layouts_have_the_solution_of_torch_and_scikit_learn():
    X, y = draw(20, 4)
    expected = torch.linalg.lstsq(X, y).solution
    theirs = LinearRegression(fit_intercept=False).fit(X.numpy(), y.numpy())
    for found in (ols(X, y), ols(X.T, y, "cols")):
        torch.testing.assert_close(found.w, expected, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(found.w.numpy(), theirs.coef_, rtol=1e-10)
        assert found.rank == 4 and found.unique


def test_a_planted_vector_is_recovered_without_noise():
    X, _ = draw(20, 4)
    w = torch.tensor([1.0, -2.0, 0.0, 3.0], dtype=torch.float64)
    found = ols(X, X @ w)
    torch.testing.assert_close(found.w, w, rtol=1e-12, atol=1e-12)
    assert found.loss < 1e-24


def test_with_fewer_patterns_than_numbers_the_shortest_solution_is_given():
    X, y = draw(3, 8)
    found = ols(X, y)
    torch.testing.assert_close(found.w, torch.linalg.pinv(X) @ y, rtol=1e-10, atol=1e-10)
    assert (found.rank, found.unique) == (3, False)
    torch.testing.assert_close(X @ found.w, y, rtol=1e-10, atol=1e-10)


def test_the_formulas_as_printed_do_not_fit_the_declared_shapes():
    """X is d x s with patterns as columns: X^T X is s x s, and X^T y is not even defined."""
    X, y = draw(3, 2)
    X = X.T  # (d, s) = (2, 3)
    assert (X.T @ X).shape == (3, 3)
    with pytest.raises(RuntimeError):
        X.T @ y
    right = torch.linalg.inv(X @ X.T) @ (X @ y)
    torch.testing.assert_close(ols(X, y, "cols").w, right, rtol=1e-9, atol=1e-9)


def test_for_square_X_the_formula_as_printed_gives_another_vector():
    X = torch.tensor([[1.0, 1.0], [0.0, 1.0]], dtype=torch.float64)  # columns (1, 0) and (1, 1)
    y = torch.tensor([1.0, 0.0], dtype=torch.float64)
    printed = torch.linalg.inv(X.T @ X) @ (X.T @ y)
    torch.testing.assert_close(printed, X.new_tensor([1.0, 0.0]))
    torch.testing.assert_close(ols(X, y, "cols").w, X.new_tensor([1.0, -1.0]))


def test_shapes_and_layouts_that_do_not_fit_are_refused():
    X, y = draw(20, 4)
    with pytest.raises(InputError, match="check the layout"):
        ols(X, y, "cols")
    with pytest.raises(InputError, match="w must have 4 entries"):
        ols_gradient(X, y, torch.zeros(3, dtype=torch.float64))


def test_gradient_descent_on_a_linear_unit_reaches_the_closed_form():
    X, y = draw(30, 3)
    unit = LinearUnit(3, rng=torch.Generator().manual_seed(1))
    loss = lambda z, target: 0.5 * (z - target).square().mean()  # noqa: E731
    fit(unit, (X, y), loss, lambda p: torch.optim.SGD(p, lr=0.5), steps=300)
    torch.testing.assert_close(unit.theta.detach(), ols(X, y).w, rtol=1e-8, atol=1e-8)
