"""Truncated Neumann series against powers of the dense matrix."""

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.landscape.curvature import (
    Explicit,
    Landscape,
    gauss_newton,
    inverse,
    neumann_inverse,
)

F64 = torch.float64


def network():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3)).double()
    g = torch.Generator().manual_seed(0)
    x = torch.randn(20, 3, generator=g, dtype=F64)
    return Landscape(module, nn.CrossEntropyLoss(), (x, torch.arange(20) % 3))


def gap(a, b):
    return float((a - b).norm() / b.norm())


def test_the_series_is_the_sum_of_powers():
    G = gauss_newton(network())
    series = neumann_inverse(G, damping=0.1, terms=7, scale=0.5)
    eye = torch.eye(G.size, dtype=F64)
    rest = eye - 0.5 * (G.dense() + 0.1 * eye)
    powers = sum(torch.linalg.matrix_power(rest, k) for k in range(8))
    b = torch.ones(G.size, dtype=F64)
    assert gap(series @ b, 0.5 * powers @ b) < 1e-12
    left = torch.linalg.matrix_power(rest, 8) @ b
    assert series.residual == pytest.approx(float(left.norm() / b.norm()), rel=1e-9)
    assert series.steps == 8


def test_many_terms_with_the_chosen_scale_give_the_inverse():
    G = gauss_newton(network())
    series = neumann_inverse(G, damping=0.1, terms=300)
    largest = float(torch.linalg.eigvalsh(G.dense())[-1]) + 0.1
    assert 0.9 / largest < series.scale < 1.02 / largest
    b = torch.ones(G.size, dtype=F64)
    assert gap(series @ b, inverse(G, damping=0.1, tol=1e-12) @ b) < 1e-8
    assert series.residual < 1e-9


def test_the_error_falls_with_the_smallest_eigenvalue():
    A = Explicit(torch.diag(torch.tensor([1.0, 0.1], dtype=F64)))
    b = torch.tensor([0.0, 1.0], dtype=F64)
    for terms in (5, 20):
        x = neumann_inverse(A, terms=terms, scale=1) @ b
        assert float(x[1]) == pytest.approx(10 * (1 - 0.9 ** (terms + 1)), rel=1e-12)


def test_a_scale_that_is_too_large_is_refused_with_one_that_is_not():
    A = Explicit(torch.diag(torch.tensor([4.0, 1.0], dtype=F64)))
    with pytest.raises(InputError, match="above 2 over the largest eigenvalue.*below 0.5"):
        neumann_inverse(A, scale=1.0) @ torch.tensor([1.0, 1e-3], dtype=F64)
    x = neumann_inverse(A, scale=0.49, terms=2000) @ torch.ones(2)
    assert torch.allclose(x, torch.tensor([0.25, 1.0], dtype=F64))


def test_divergence_is_found_although_the_terms_shrink_first():
    A = Explicit(torch.diag(torch.tensor([1.0, 2.2], dtype=F64)))
    b = torch.tensor([1.0, 1e-3], dtype=F64)
    with pytest.raises(InputError, match="diverges"):
        neumann_inverse(A, scale=1.0, terms=10) @ b


def test_negative_curvature_is_refused_with_the_damping_that_would_do():
    A = Explicit(torch.diag(torch.tensor([1.0, -3.0], dtype=F64)))
    with pytest.raises(InputError, match="raise damping above 3"):
        neumann_inverse(A, scale=0.1) @ torch.tensor([0.0, 1.0], dtype=F64)
    with pytest.raises(InputError, match="no scale makes"):
        neumann_inverse(Explicit(-torch.eye(3, dtype=F64)))


def test_the_map_is_linear_and_symmetric():
    series = neumann_inverse(gauss_newton(network()), damping=0.1, terms=3)
    M = series.dense()
    assert torch.allclose(M, M.T, atol=1e-12)
    v = torch.randn(series.size, generator=torch.Generator().manual_seed(0), dtype=F64)
    assert gap(series @ v, M @ v) < 1e-10


@pytest.mark.parametrize("options", [{"damping": -1.0}, {"terms": 0}, {"scale": 0.0}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError):
        neumann_inverse(Explicit(torch.eye(2)), **options)
