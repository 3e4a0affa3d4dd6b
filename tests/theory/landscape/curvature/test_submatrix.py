"""Principal submatrices against slices of the dense matrix."""

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.landscape.curvature import (
    Explicit,
    Landscape,
    hessian,
    inverse,
    submatrix,
    top_eigenpairs,
)


def matrix(n, seed=0):
    B = torch.randn(n, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return B @ B.T


def test_products_are_those_of_the_sliced_matrix(small):
    module, x, y = small
    H = hessian(Landscape(module, torch.nn.CrossEntropyLoss(), (x, y)))
    index = torch.tensor([5, 0, 30, 12])
    part = submatrix(H, index)
    assert torch.allclose(part.dense(), H.dense()[index[:, None], index], atol=1e-12)
    assert "4 of" in part.path


def test_the_block_of_a_parameter_is_that_of_its_own_landscape(small):
    module, x, y = small
    loss = torch.nn.CrossEntropyLoss()
    whole, own = (Landscape(module, loss, (x, y), parameters=p) for p in (None, "0"))
    assert torch.allclose(
        submatrix(whole, range(own.size)).dense(), hessian(own).dense(), atol=1e-12
    )


def test_estimates_run_on_it_and_eigenvalues_interlace():
    M = matrix(12)
    part = submatrix(Explicit(M), range(2, 9))
    found = top_eigenpairs(part, 2).values
    assert torch.allclose(found, torch.linalg.eigvalsh(M[2:9, 2:9]).flip(0)[:2], rtol=1e-6)
    outer = torch.linalg.eigvalsh(M)
    assert float(outer[0]) <= float(found.min())
    assert float(found.max()) <= float(outer[-1])
    b = torch.ones(7, dtype=torch.float64)
    solved = inverse(part, damping=1.0, tol=1e-10) @ b
    exact = torch.linalg.solve(M[2:9, 2:9] + torch.eye(7, dtype=torch.float64), b)
    assert torch.allclose(solved, exact, rtol=1e-6)


@pytest.mark.parametrize("index", [[], [0, 0], [-1], [3]])
def test_coordinates_that_make_no_sense_are_refused(index):
    with pytest.raises(InputError, match="index"):
        submatrix(Explicit(matrix(3)), index)
