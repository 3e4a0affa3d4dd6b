import pytest
import torch

from corollary.theory.optimization.least_squares_descent import (
    least_squares_gd,
    least_squares_step,
)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_bound_is_attained_along_the_extreme_eigenvector():
    X, w = draw(20, 4) / 4, draw(4, seed=1)
    values, V = torch.linalg.eigh(X.T @ X)
    eta = 1 / float(values[-1])
    run = least_squares_gd(X, X @ w, eta, 30, w0=w + V[:, 0])
    bound = run.factor ** torch.arange(31).double()
    assert run.unique and run.factor < 1
    torch.testing.assert_close(run.distance, bound, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("share", [0.5, 1.0, 1.9])
def test_the_bound_holds_from_anywhere_up_to_twice_the_exercise_step(share):
    X, w = draw(20, 4), draw(4, seed=1)
    eta = share / float(torch.linalg.matrix_norm(X, 2)) ** 2
    run = least_squares_gd(X, X @ w, eta, 50)
    bound = run.factor ** torch.arange(51).double() * run.distance[0]
    assert run.factor < 1
    assert bool((run.distance <= bound * (1 + 1e-9)).all())


def test_without_full_rank_only_the_row_space_converges():
    X, w, w0 = draw(3, 6), draw(6, seed=1), draw(6, seed=2)
    eta = 1 / float(torch.linalg.matrix_norm(X, 2)) ** 2
    run = least_squares_gd(X, X @ w, eta, 400, w0=w0)
    assert not run.unique and run.factor == 1.0 and run.row_space_factor < 1
    torch.testing.assert_close(run.w[-1], run.target, rtol=0, atol=1e-6)
    project = torch.eye(6).double() - torch.linalg.pinv(X) @ X
    torch.testing.assert_close(project @ run.w[-1], project @ w0)  # the start is kept there
    assert float((run.w[-1] - w).norm()) > 0.1


def test_an_inconsistent_system_is_solved_in_the_least_squares_sense():
    X, y = draw(10, 3), draw(10, seed=1)
    run = least_squares_gd(X, y, 1 / float(torch.linalg.matrix_norm(X, 2)) ** 2, 300)
    torch.testing.assert_close(run.target, torch.linalg.lstsq(X, y).solution)
    torch.testing.assert_close(run.w[-1], run.target)


def test_a_step_by_formula_is_a_step_by_autograd():
    X, y, w = draw(5, 3), draw(5, seed=1), draw(3, seed=2)
    run = least_squares_gd(X, y, 0.01, 1, w0=w)
    torch.testing.assert_close(least_squares_step(X, y, w, 0.01), run.w[1])
