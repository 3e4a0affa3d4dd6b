import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.methods.adam import Adam
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.prerequisites.quadratic_losses import ls_gradient
from corollary.theory.regularization.interpolation import (
    implicit_bias_ls,
    interpolation_factor,
    interpolators,
    row_space_split,
)


def system(n=4, d=9, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=rng).double() for shape in ((n, d), (n,), (d,))]


@pytest.mark.parametrize("seed", range(4))
def test_the_limit_is_the_pseudo_inverse_formula_of_numpy(seed):
    X, y, w0 = system(seed=seed)
    found = implicit_bias_ls(X, y, w0)
    expected = w0.numpy() + np.linalg.pinv(X.numpy()) @ (y - X @ w0).numpy()
    np.testing.assert_allclose(found.limit.numpy(), expected, atol=1e-8)
    assert found.distance < 1e-8


def test_from_zero_it_is_the_shortest_solution_of_scipy():
    from scipy.linalg import lstsq

    X, y, _ = system()
    found = implicit_bias_ls(X, y)
    np.testing.assert_allclose(found.limit.numpy(), lstsq(X.numpy(), y.numpy())[0], atol=1e-8)


def test_the_part_in_the_kernel_never_moves():
    X, y, w0 = system()
    found = implicit_bias_ls(X, y, w0)
    assert found.moved_in_kernel < 1e-10
    kernel = row_space_split(X, found.path).kernel
    torch.testing.assert_close(kernel, kernel[:1].expand_as(kernel))


def test_adam_leaves_the_span_of_the_data():
    X, y, w0 = system()
    path = trajectory(Adam(lr=0.05), lambda w: ls_gradient(X, y, w), w0, 600)
    assert (X @ path[-1] - y).norm() < 1e-3  # it interpolates
    assert (path[-1] - implicit_bias_ls(X, y, w0).prediction).norm() > 0.1  # elsewhere


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_the_factor_bounds_every_step_and_is_attained(share):
    X, y, w0 = system()
    eta = share * len(X) / float(torch.linalg.matrix_norm(X, 2)) ** 2
    rho = interpolation_factor(X, eta)
    found = implicit_bias_ls(X, y, w0, eta, most=50)
    distance = (found.path - found.prediction).norm(dim=1)
    assert bool((distance[1:] <= rho * distance[:-1] * (1 + 1e-9)).all())
    u, s, vt = torch.linalg.svd(X, full_matrices=False)
    worst = vt[(1 - 2 * eta * s**2 / len(X)).abs().argmax()]
    moved = implicit_bias_ls(X, X @ w0, w0 + worst, eta, most=1).path
    assert float((moved[1] - w0).norm()) == pytest.approx(rho)


def test_a_step_that_is_too_long_is_refused_and_would_diverge():
    X, y, _ = system()
    limit = len(X) / float(torch.linalg.matrix_norm(X, 2)) ** 2
    with pytest.raises(InputError, match="below n/sigma_1"):
        implicit_bias_ls(X, y, eta=1.01 * limit)
    assert interpolation_factor(X, 1.05 * limit) == pytest.approx(1.1)
    assert 1.1**100 == pytest.approx(14_000, rel=0.02)  # the number of the erratum


def test_dependent_rows_are_refused():
    X, y, _ = system()
    with pytest.raises(InputError, match="linearly independent"):
        implicit_bias_ls(torch.cat([X, X[:1]]), torch.cat([y, y[:1]]))
    with pytest.raises(InputError, match="linearly independent"):
        implicit_bias_ls(torch.randn(5, 3).double(), torch.randn(5).double())


def test_more_parameters_than_points_do_not_give_full_rank():
    """The notes' 'd > n, X is full rank': a repeated row, and the kernel that is always there."""
    X = torch.tensor([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]], dtype=torch.float64)
    assert interpolators(X, X.new_ones(2)).dimension == 2
    assert interpolators(X[:1], X.new_ones(1)).dimension == 2


def test_pythagoras_holds_and_predictions_do_not_change():
    X, _, w = system()
    row, kernel = row_space_split(X, w)
    assert float(w @ w) == pytest.approx(float(row @ row + kernel @ kernel))
    torch.testing.assert_close(X @ w, X @ row)
    torch.testing.assert_close(X @ kernel, torch.zeros(len(X)).double())


def test_adding_kernel_vectors_never_shortens_the_shortest():
    X, y, _ = system()
    found = interpolators(X, y)
    added = torch.randn(50, found.dimension).double() @ found.directions.T
    assert bool(((found.point + added).norm(dim=1) >= found.point.norm()).all())


def test_the_solutions_of_two_planes_are_a_line_and_descent_projects_on_it():
    X, y, _ = system(2, 3)
    line = interpolators(X, y)
    assert line.dimension == 1
    for seed in range(4):
        w0 = system(2, 3, seed + 10)[2]
        limit = implicit_bias_ls(X, y, w0).limit
        torch.testing.assert_close(X @ limit, y, atol=1e-8, rtol=0)
        torch.testing.assert_close(limit, line.nearest(w0), atol=1e-8, rtol=0)


def test_parallel_planes_have_no_common_point():
    X = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], dtype=torch.float64)
    with pytest.raises(InputError, match="no solution"):
        interpolators(X, X.new_tensor([0.0, 1.0]))


def test_a_vector_of_the_wrong_length_is_refused():
    with pytest.raises(InputError, match="3 entries"):
        row_space_split(torch.eye(3), torch.ones(2))
