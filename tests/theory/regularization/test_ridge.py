import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from corollary.errors import InputError
from corollary.theory.networks.least_squares import ols
from corollary.theory.regularization.ridge import (
    degrees_of_freedom,
    ridge,
    ridge_prediction,
    shrinkage_factors,
)


def data(n=20, d=5, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(n, d, generator=rng).double(), torch.randn(n, generator=rng).double()


@pytest.mark.parametrize("lam", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("shape", [(20, 5), (5, 20)])
def test_it_is_the_ridge_of_scikit_learn(lam, shape):
    X, y = data(*shape)
    theirs = Ridge(alpha=lam, fit_intercept=False, solver="svd").fit(X.numpy(), y.numpy())
    np.testing.assert_allclose(ridge(X, y, lam).numpy(), theirs.coef_, rtol=1e-8, atol=1e-10)


def test_several_targets_are_solved_at_once():
    X, y = data()
    both = ridge(X, torch.stack([y, 2 * y], dim=1), 1.0)
    torch.testing.assert_close(both[:, 1], 2 * ridge(X, y, 1.0))


def test_shrunken_targets_are_the_predictions_of_the_normal_equations():
    X, y = data()
    w = torch.linalg.solve(X.T @ X + 3 * torch.eye(5).double(), X.T @ y)
    torch.testing.assert_close(ridge_prediction(X, y, 3.0), X @ w)


def test_without_penalty_it_projects_on_the_column_space():
    X, y = data()
    torch.testing.assert_close(ridge_prediction(X, y, 0.0), X @ ols(X, y).w)
    torch.testing.assert_close(ridge_prediction(X, y, 1e-12), X @ torch.linalg.pinv(X) @ y)
    assert degrees_of_freedom(X, 0.0) == pytest.approx(5)


def test_thin_directions_shrink_most_and_freedom_is_the_trace():
    X, _ = data()
    factors = shrinkage_factors(X, 4.0)
    assert bool((factors.diff() < 0).all())
    hat = X @ torch.linalg.solve(X.T @ X + 4 * torch.eye(5).double(), X.T)
    assert degrees_of_freedom(X, 4.0) == pytest.approx(float(hat.trace()))


def test_no_penalty_and_no_rank_is_refused():
    X, y = data()
    thin = torch.cat([X, X[:, :1]], dim=1)
    with pytest.raises(InputError, match="rank 5 of 6"):
        ridge(thin, y, 0.0)
    with pytest.raises(InputError, match="not be negative"):
        ridge(X, y, -1.0)
    with pytest.raises(InputError, match="the same number of rows"):
        ridge(X, y[:-1], 1.0)


def test_the_printed_penalty_of_one_point_gives_two_thirds():
    """(11.28) with X = y = lambda = 1: (w - 1)^2 + w^2/2 is least at 2/3, and (11.29) says 1/2."""
    one = torch.ones(1, 1).double()
    assert ridge(one, one[0], 0.5).item() == pytest.approx(2 / 3)
    assert ridge(one, one[0], 1.0).item() == pytest.approx(1 / 2)
