import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.eigen import eigen_report, ordered_eigenvalues


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("seed", range(3))
def test_residuals_and_determinants_vanish(seed):
    A = normal(5, 5, seed=seed) / 5**0.5
    report = eigen_report(A)
    assert report.residual < 1e-10 and report.determinant < 1e-10
    assert sum(e.algebraic for e in report.distinct) == 5


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_identity_has_one_distinct_eigenvalue_of_multiplicity_n(n):
    """Not n distinct ones, as the notes' sentence would have it."""
    (only,) = eigen_report(torch.eye(n, dtype=torch.float64)).distinct
    assert (only.value, only.algebraic, only.geometric) == (1, n, n)


def test_a_jordan_block_has_one_eigenvector():
    J = torch.diag(torch.ones(2, dtype=torch.float64), 1) + 3 * torch.eye(3, dtype=torch.float64)
    (only,) = eigen_report(J, tol=1e-4).distinct
    assert only.algebraic == 3 and only.geometric == 1


def test_distinct_eigenvalues_are_as_many_as_distinct_roots():
    report = eigen_report(torch.diag(torch.tensor([2.0, 2.0, -1.0], dtype=torch.float64)))
    assert [(e.value.real, e.algebraic) for e in report.distinct] == [(2.0, 2), (-1.0, 1)]


def test_symmetric_matrices_are_ordered_and_rotations_refused():
    a = normal(6, 6)
    values = ordered_eigenvalues(a + a.T)
    assert (values.diff() <= 0).all()
    rotation = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    with pytest.raises(InputError, match="only if they are real"):
        ordered_eigenvalues(rotation)
    triangular = torch.tensor([[1.0, 5.0], [0.0, 2.0]], dtype=torch.float64)
    assert ordered_eigenvalues(triangular).tolist() == [2.0, 1.0]


def test_bad_input_is_named():
    with pytest.raises(InputError, match="must be square"):
        eigen_report(normal(2, 3))
    with pytest.raises(InputError, match="must be finite"):
        eigen_report(normal(2, 2) * torch.nan)
