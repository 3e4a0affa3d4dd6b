import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.loewner import is_psd, loewner_leq


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_unit_projectors_are_incomparable():
    A, B = (torch.diag(torch.tensor(d, dtype=torch.float64)) for d in ([1.0, 0.0], [0.0, 1.0]))
    assert not loewner_leq(A, B).holds and not loewner_leq(B, A).holds
    assert loewner_leq(A, A).holds and loewner_leq(A, A + B).holds


@pytest.mark.parametrize("shape", [(3, 6), (6, 3)])
def test_gram_matrices_are_positive_semi_definite(shape):
    X = normal(*shape)
    assert is_psd(X @ X.T).holds


def test_a_violating_direction_is_given():
    a = normal(4, 4)
    found = is_psd(a + a.T - 3 * torch.eye(4, dtype=torch.float64))
    u = found.direction
    assert not found.holds
    shifted = a + a.T - 3 * torch.eye(4, dtype=torch.float64)
    assert float(u @ shifted @ u) == pytest.approx(found.smallest) and found.smallest < 0


def test_without_symmetry_eigenvalues_do_not_decide():
    """The notes' equivalence for 'a matrix': eigenvalues 1, 1, and u^T A u = -8 at (1, 1)."""
    A = torch.tensor([[1.0, -10.0], [0.0, 1.0]], dtype=torch.float64)
    u = torch.ones(2, dtype=torch.float64)
    assert torch.linalg.eigvals(A).real.tolist() == [1.0, 1.0] and float(u @ A @ u) == -8.0
    with pytest.raises(InputError, match="A must be symmetric"):
        is_psd(A)


def test_bad_input_is_named():
    with pytest.raises(InputError, match="must be square"):
        is_psd(normal(2, 3))
    with pytest.raises(InputError, match="the same size"):
        loewner_leq(torch.eye(2), torch.eye(3))
    with pytest.raises(InputError, match="must be finite"):
        is_psd(torch.full((2, 2), torch.nan))
