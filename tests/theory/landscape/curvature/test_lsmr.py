"""Inverses by LSMR against dense linear algebra and SciPy."""

import pytest
import torch
from scipy.sparse.linalg import lsmr
from torch import nn

from corollary.errors import InputError, NotFiniteError
from corollary.theory.landscape.curvature import (
    Explicit,
    Landscape,
    gauss_newton,
    hessian,
    inverse,
    lsmr_inverse,
)

CE = nn.CrossEntropyLoss()
F64 = torch.float64


def spectrum(values, seed=0):
    """A symmetric matrix with these eigenvalues."""
    g = torch.Generator().manual_seed(seed)
    values = torch.as_tensor(values, dtype=F64)
    q = torch.linalg.qr(torch.randn(len(values), len(values), generator=g, dtype=F64)).Q
    return (q * values) @ q.T


def gap(a, b):
    return float((a - b).norm() / b.norm())


@pytest.fixture(scope="module")
def saddle():
    """The dense Hessian of a network away from a minimum."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3)).double()
    g = torch.Generator().manual_seed(0)
    x = torch.randn(20, 3, generator=g, dtype=F64)
    return Landscape(module, CE, (x, torch.arange(20) % 3))


def test_a_hessian_at_a_saddle_is_inverted(saddle):
    H = hessian(saddle)
    damped = H.dense() + 0.05 * torch.eye(H.size, dtype=F64)
    values = torch.linalg.eigvalsh(damped)
    assert float(values[0]) < 0 < float(values[-1])
    b = torch.ones(H.size, dtype=F64)
    with pytest.raises(InputError, match="lsmr_inverse also solves"):
        inverse(H, damping=0.05) @ b
    A = lsmr_inverse(H, damping=0.05, tol=1e-10)
    assert gap(A @ b, torch.linalg.solve(damped, b)) < 1e-6
    assert A.residual <= 1e-10
    assert A.residual == pytest.approx(gap(damped @ (A @ b), b), abs=1e-12)


def test_a_positive_operator_has_the_inverse_of_conjugate_gradients(saddle):
    G = gauss_newton(saddle)
    b = torch.ones(G.size, dtype=F64)
    here = lsmr_inverse(G, damping=0.1, tol=1e-10) @ b
    assert gap(here, inverse(G, damping=0.1, tol=1e-10) @ b) < 1e-8


def test_a_singular_operator_has_its_pseudo_inverse():
    M = spectrum([3.0, -2.0, 1.0, 0.0, 0.0])
    A = lsmr_inverse(Explicit(M), tol=1e-12)
    b = torch.ones(5, dtype=F64)
    assert gap(A @ b, torch.linalg.pinv(M) @ b) < 1e-8
    assert A.residual > 0.01  # b does not lie in the range
    assert A.stationarity <= 1e-12


def test_a_right_hand_side_in_the_kernel_has_a_zero_solution():
    A = lsmr_inverse(Explicit(torch.diag(torch.tensor([2.0, 0.0]))))
    assert (A @ torch.tensor([0.0, 1.0])).tolist() == [0.0, 0.0]
    assert (A @ torch.zeros(2)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(3))
def test_scipy_solves_the_same(seed):
    M = spectrum(torch.linspace(-3, 2, 30), seed)
    b = torch.randn(30, generator=torch.Generator().manual_seed(seed), dtype=F64)
    there = lsmr(M.numpy(), b.numpy(), atol=1e-12, btol=1e-12, maxiter=1000)[0]
    A = lsmr_inverse(Explicit(M), tol=1e-11)
    assert gap(A @ b, torch.from_numpy(there)) < 1e-7


def test_as_many_steps_as_distinct_squares_of_eigenvalues_suffice():
    A = lsmr_inverse(Explicit(spectrum([1.0, -1.0, 4.0] * 10)), tol=1e-9)
    _ = A @ torch.ones(30, dtype=F64)
    assert A.steps == 1 + 2 * 2 + 1  # a first, two a step, one for the residual


def test_an_unfinished_solve_is_refused():
    A = lsmr_inverse(Explicit(spectrum(torch.linspace(-3, 2, 30))), max_products=5)
    with pytest.raises(InputError, match="after 5 products"):
        A @ torch.ones(30)


@pytest.mark.parametrize("options", [{"damping": -1.0}, {"tol": 2.0}, {"max_products": 0}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError):
        lsmr_inverse(Explicit(torch.eye(2)), **options)


def test_what_is_not_finite_is_refused():
    with pytest.raises(NotFiniteError):
        lsmr_inverse(Explicit(torch.eye(2))) @ torch.tensor([1.0, float("nan")])
