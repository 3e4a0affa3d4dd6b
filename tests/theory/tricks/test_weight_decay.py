import pytest
import torch

from corollary.errors import InputError
from corollary.theory.regularization.early_stopping import ridge_filter
from corollary.theory.regularization.ridge import ridge
from corollary.theory.tricks.weight_decay import (
    ball_radius,
    decayed_step,
    shrinkage,
    weight_decay_solution,
)


def problem(d=4, seed=0):
    rng = torch.Generator().manual_seed(seed)
    X = torch.randn(20, d, generator=rng, dtype=torch.float64)
    return X, X.T @ X, torch.randn(d, generator=rng, dtype=torch.float64)


def test_it_is_the_ridge_solution_and_the_filter_of_early_stoppings_chapter():
    X, H, theta = problem()
    found = weight_decay_solution(H, theta, 3.0)
    torch.testing.assert_close(found, ridge(X, X @ theta, 3.0))
    torch.testing.assert_close(found, ridge_filter(H, 3.0).apply(theta))


def test_long_descent_ends_there():
    _, H, theta = problem()
    w, eta = torch.zeros(4, dtype=torch.float64), 0.02
    for _ in range(3000):
        w = decayed_step(w, H @ (w - theta), eta, 1.5)
    torch.testing.assert_close(w, weight_decay_solution(H, theta, 1.5))


def test_no_decay_changes_nothing_and_much_decay_leaves_nothing():
    _, H, theta = problem()
    torch.testing.assert_close(weight_decay_solution(H, theta, 0.0), theta)
    assert float(weight_decay_solution(H, theta, 1e9).norm()) < 1e-6
    assert float(shrinkage(torch.linalg.eigvalsh(H), 0.0).sum()) == 4


def test_a_saddle_is_allowed_above_minus_mu_and_refused_below():
    H = torch.diag(torch.tensor([1.0, -0.5], dtype=torch.float64))
    theta = torch.ones(2, dtype=torch.float64)
    assert weight_decay_solution(H, theta, 1.0).tolist() == [0.5, -1.0]
    for mu in (0.5, 0.2, 0.0):
        with pytest.raises(InputError, match="no minimum"):
            weight_decay_solution(H, theta, mu)


def test_the_printed_update_lets_weights_grow():
    """Erratum: with a loss of 0 the right step shrinks by 1 - eta mu, the printed one grows."""
    theta, zero, eta, mu = torch.tensor([2.0]), torch.zeros(1), 0.1, 0.5
    printed = theta - eta * (zero - mu * theta)
    assert decayed_step(theta, zero, eta, mu).item() == pytest.approx(2 * 0.95)
    assert printed.item() == pytest.approx(2 * 1.05)


def test_the_radius_of_the_ball_falls_as_the_decay_grows_and_is_not_the_decay():
    """Erratum: the constraint is not that the length be at most mu."""
    _, H, theta = problem()
    radii = [ball_radius(H, theta, mu) for mu in (0.0, 1.0, 10.0, 100.0)]
    assert radii == sorted(radii, reverse=True) and radii[0] == pytest.approx(float(theta.norm()))
    assert ball_radius(torch.eye(1), torch.tensor([3.0]), 2.0) == 1.0


def test_negative_decay_is_refused():
    with pytest.raises(InputError, match="decay"):
        decayed_step(torch.ones(1), torch.ones(1), 0.1, -0.1)
