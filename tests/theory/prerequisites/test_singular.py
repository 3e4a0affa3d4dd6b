import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.norms import operator_norm
from corollary.theory.prerequisites.singular import (
    numerical_rank,
    rank_one_terms,
    singular_values,
    svd_full,
)


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
def test_the_three_routes_agree(shape):
    A = normal(*shape)
    expected = np.linalg.svd(A.numpy(), compute_uv=False)
    for route in ("svd", "AAT", "ATA"):
        assert np.allclose(singular_values(A, route=route).numpy(), expected, atol=1e-8)
    assert singular_values(A)[0].item() == pytest.approx(operator_norm(A).value)


@pytest.mark.parametrize("r", [1, 2, 4])
def test_the_rank_of_a_product_of_narrow_factors_is_found(r):
    A = normal(7, r) @ normal(r, 5, seed=1)
    assert numerical_rank(A) == r == np.linalg.matrix_rank(A.numpy())


def test_moduli_of_eigenvalues_are_singular_values_only_after_sorting():
    A = torch.diag(torch.tensor([1.0, -3.0], dtype=torch.float64))
    sigma, lam = singular_values(A), torch.linalg.eigvalsh(A).flip(0)
    assert sigma.tolist() == [3.0, 1.0] and lam.abs().tolist() == [1.0, 3.0]
    a = normal(5, 5)
    values = torch.linalg.eigvalsh(a + a.T)
    assert torch.allclose(values.abs().sort(descending=True).values, singular_values(a + a.T))


def test_for_negative_eigenvalues_left_and_right_vectors_have_opposite_signs():
    a = normal(4, 4)
    U, _, V, _, _ = svd_full(a + a.T)
    signs = (U * V).sum(dim=0)
    assert torch.allclose(signs.abs(), torch.ones(4, dtype=torch.float64))
    assert int((signs < 0).sum()) == int((torch.linalg.eigvalsh(a + a.T) < 0).sum())


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (1, 3)])
def test_the_decomposition_is_verified(shape):
    found = svd_full(normal(*shape))
    assert max(found.report.values()) < 1e-10
    assert found.U.shape == (shape[0],) * 2 and found.V.shape == (shape[1],) * 2
    for i in range(min(shape)):
        left = normal(*shape) @ found.V[:, i]
        assert torch.allclose(left, found.D[i, i] * found.U[:, i], atol=1e-10)


def test_rank_one_terms_add_to_the_matrix():
    A = normal(5, 2) @ normal(2, 4, seed=1)
    terms = rank_one_terms(A)
    assert len(terms) == 2
    assert torch.allclose(terms.sum(dim=0), A, atol=1e-10)
    assert all(numerical_rank(term) == 1 for term in terms)


def test_only_the_first_rank_columns_of_u_span_the_column_space():
    """The notes say that the columns of U do; u_2 of diag(1, 0) is orthogonal to the space."""
    A = torch.diag(torch.tensor([1.0, 0.0], dtype=torch.float64))
    found = svd_full(A)
    assert found.rank == 1
    assert float((found.U[:, 1] @ A).abs().max()) == 0.0


def test_the_zero_matrix_has_rank_zero_and_no_terms():
    zero = torch.zeros(2, 3, dtype=torch.float64)
    assert numerical_rank(zero) == 0 and rank_one_terms(zero).shape == (0, 2, 3)


def test_bad_input_is_named():
    for f in (singular_values, svd_full, rank_one_terms, numerical_rank):
        with pytest.raises(InputError, match="A must be finite"):
            f(normal(2, 2) * torch.inf)
        with pytest.raises(InputError, match="A must not be empty"):
            f(normal(0, 2))
