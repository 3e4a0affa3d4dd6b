"""Inverses by conjugate gradients, and the squared norm, against dense linear algebra."""

import numpy as np
import pytest
import torch
from scipy.sparse.linalg import cg
from torch import nn

from corollary.errors import InputError, InputTypeError, NotFiniteError
from corollary.theory.landscape.curvature import (
    Explicit,
    Landscape,
    gauss_newton,
    hessian,
    inverse,
    kfac,
    squared_frobenius_norm,
)

CE = nn.CrossEntropyLoss()


def spectrum(values, seed=0):
    """A symmetric matrix with these eigenvalues."""
    g = torch.Generator().manual_seed(seed)
    values = torch.as_tensor(values, dtype=torch.float64)
    q = torch.linalg.qr(torch.randn(len(values), len(values), generator=g, dtype=torch.float64)).Q
    return (q * values) @ q.T


def relative(a, b):
    return float((a - b).norm() / b.norm())


def test_products_solve_the_damped_system_of_a_network(small):
    module, x, y = small
    G = gauss_newton(Landscape(module, CE, (x, y)))
    A = inverse(G, damping=0.1, tol=1e-10)
    b = torch.ones(G.size, dtype=torch.float64)
    damped = G.dense() + 0.1 * torch.eye(G.size, dtype=torch.float64)
    assert relative(A @ b, torch.linalg.solve(damped, b)) < 1e-8
    assert A.residual == pytest.approx(relative(damped @ (A @ b), b), abs=1e-11)
    assert A.residual <= 1e-10


def test_scipy_solves_the_same(small):
    module, x, y = small
    G = gauss_newton(Landscape(module, CE, (x, y)))
    b = torch.ones(G.size, dtype=torch.float64)
    there, _ = cg(G.dense().numpy() + 0.1 * np.eye(G.size), b.numpy(), rtol=1e-10)
    assert relative(inverse(G, damping=0.1, tol=1e-10) @ b, torch.from_numpy(there)) < 1e-8


def test_as_many_steps_as_distinct_eigenvalues_suffice():
    A = inverse(Explicit(spectrum([1.0, 2.0, 5.0] * 10)), tol=1e-10)
    _ = A @ torch.ones(30, dtype=torch.float64)
    assert A.steps == 3 + 1  # one more for the residual


def test_columns_are_solved_one_by_one():
    M = spectrum([1.0, 2.0, 5.0])
    A = inverse(Explicit(M), tol=1e-12)
    assert torch.allclose(A.dense(), torch.linalg.inv(M))


def test_a_zero_right_hand_side_has_a_zero_solution():
    A = inverse(Explicit(spectrum([1.0, 2.0])))
    assert (A @ torch.zeros(2)).tolist() == [0.0, 0.0]
    assert A.residual == 0


def test_negative_curvature_is_refused_with_the_damping_that_would_do():
    M = torch.diag(torch.tensor([1.0, -3.0], dtype=torch.float64))
    with pytest.raises(InputError, match="direction of curvature -3.*raise damping above 3"):
        inverse(Explicit(M), damping=1) @ torch.tensor([0.0, 1.0], dtype=torch.float64)
    x = inverse(Explicit(M), damping=4) @ torch.tensor([5.0, 1.0], dtype=torch.float64)
    assert torch.allclose(x, torch.ones(2, dtype=torch.float64))


def test_a_hessian_at_a_saddle_is_refused(small):
    module, x, y = small
    H = hessian(Landscape(module, CE, (x, y)))
    assert float(torch.linalg.eigvalsh(H.dense())[0]) < 0
    with pytest.raises(InputError, match="invert gauss_newton"):
        inverse(H) @ torch.randn(H.size, generator=torch.Generator().manual_seed(0))


def test_an_unfinished_solve_is_refused():
    A = inverse(Explicit(spectrum([1.0, 2.0, 5.0, 9.0])), max_products=2)
    with pytest.raises(InputError, match="after 2 products"):
        A @ torch.ones(4)


def test_a_singular_operator_without_damping_is_refused():
    A = inverse(Explicit(torch.diag(torch.tensor([1.0, 0.0], dtype=torch.float64))))
    with pytest.raises(InputError):
        A @ torch.ones(2)


def test_a_preconditioner_that_is_the_inverse_needs_one_step():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(40, 6, generator=g, dtype=torch.float64)
    data = x * torch.logspace(0, 2, 6), torch.zeros(40, 3, dtype=torch.float64)
    landscape = Landscape(nn.Linear(6, 3).double(), nn.MSELoss(), data)
    G, K = gauss_newton(landscape), kfac(landscape)  # exact for a linear model
    b = torch.ones(G.size, dtype=torch.float64)
    plain = inverse(G, damping=0.01)
    helped = inverse(G, damping=0.01, preconditioner=K.inverse(0.01))
    assert relative(plain @ b, helped @ b) < 1e-3
    assert helped.steps == 2  # one of them for the residual
    assert plain.steps > 6


@pytest.mark.parametrize(
    "options", [{"damping": -1.0}, {"damping": float("nan")}, {"tol": 0.0}, {"max_products": 0}]
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError):
        inverse(Explicit(torch.eye(2)), **options)


def test_a_preconditioner_must_fit():
    with pytest.raises(InputError, match="size 3"):
        inverse(Explicit(torch.eye(2)), preconditioner=Explicit(torch.eye(3)))
    with pytest.raises((InputTypeError, TypeError)):
        inverse(Explicit(torch.eye(2)), preconditioner=torch.eye(2))
    with pytest.raises(InputError, match="preconditioner is not positive"):
        inverse(Explicit(torch.eye(2)), preconditioner=Explicit(-torch.eye(2))) @ torch.ones(2)


def test_a_right_hand_side_that_is_not_finite_is_refused():
    with pytest.raises(NotFiniteError):
        inverse(Explicit(torch.eye(2))) @ torch.tensor([1.0, float("nan")])


def test_the_squared_norm_of_a_small_operator_is_exact(small):
    module, x, y = small
    H = hessian(Landscape(module, CE, (x, y)))
    found = squared_frobenius_norm(H)
    assert float(found) == pytest.approx(float(H.dense().square().sum()), rel=1e-10)
    assert found.products == H.size


def test_the_interval_of_the_squared_norm_covers():
    values = torch.cat([torch.tensor([30.0, -20.0, 10.0]), torch.linspace(-1, 1, 497)])
    A, truth = Explicit(spectrum(values)), float(values.double().square().sum())
    found = [
        squared_frobenius_norm(A, max_products=100, rng=torch.Generator().manual_seed(seed))
        for seed in range(30)
    ]
    hits = sum(truth in f.estimate for f in found)
    assert hits >= 24  # of 30 at 95 %: fewer have probability 6e-4
    assert all(f.products <= 104 for f in found)
    assert all(f.estimate.half_width < 0.1 * truth for f in found)


def test_too_few_products_for_a_squared_norm_are_refused():
    with pytest.raises(InputError, match="at least 40"):
        squared_frobenius_norm(Explicit(torch.eye(2)), max_products=10)
