import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.matrix_algebra import (
    commutator,
    hutchinson_trace,
    inverse,
    law_residuals,
    trace_residuals,
)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("seed", range(3))
def test_the_laws_of_multiplication_hold_to_rounding(seed):
    A, B, C = normal(4, 6, seed=seed), normal(6, 5, seed=seed + 9), normal(6, 5, seed=seed + 99)
    assert max(law_residuals(A, B, C).values()) < 1e-12


def test_diagonal_matrices_commute_and_others_do_not():
    assert float(commutator(normal(4, 4), normal(4, 4, seed=1)).norm()) > 0.1
    D, E = normal(4).diag(), normal(4, seed=1).diag()
    assert float(commutator(D, E).norm()) == 0.0


def test_the_inverse_is_one_on_both_sides():
    A = normal(5, 5)
    eye = torch.eye(5, dtype=torch.float64)
    assert torch.allclose(A @ inverse(A), eye, atol=1e-12)
    assert torch.allclose(inverse(A) @ A, eye, atol=1e-12)


def test_a_matrix_without_inverse_is_refused():
    with pytest.raises(InputError, match="rank is 2 and its size is 3"):
        inverse(normal(3, 2) @ normal(2, 3))
    with pytest.raises(InputError, match="must be square"):
        inverse(normal(3, 2))
    with pytest.raises(InputError, match="finite"):
        inverse(torch.full((2, 2), torch.inf))


@pytest.mark.parametrize("shape", [(4, 4), (3, 7), (7, 3)])
def test_the_trace_laws_hold_for_square_and_rectangular_factors(shape):
    m, n = shape
    assert max(trace_residuals(normal(m, n), normal(n, m, seed=1)).values()) < 1e-10


@pytest.mark.parametrize("seed", range(5))
def test_hutchinson_is_within_four_standard_errors(seed):
    A = normal(30, 30, seed=seed)
    rng = torch.Generator().manual_seed(seed)
    found = hutchinson_trace(lambda z: A @ z, 30, 500, rng=rng)
    assert abs(found.value - float(A.trace())) <= 4 * found.error


def test_one_probe_has_no_standard_error():
    with pytest.raises(InputError, match="samples >= 2"):
        hutchinson_trace(lambda z: z, 3, 1, rng=torch.Generator())
