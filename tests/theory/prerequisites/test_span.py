import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.span import column_space, parallelogram, span_contains


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_two_worked_products_of_the_notes_are_reproduced():
    c = torch.tensor([0.5, 1.0], dtype=torch.float64)
    V = torch.tensor([[-3.0, 2.0], [2.0, 3.0]], dtype=torch.float64)
    assert (V @ c).tolist() == [0.5, 4.0]
    assert span_contains(V, V @ c).coefficients == pytest.approx([0.5, 1.0])
    dependent = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64)
    for c in normal(5, 2):
        assert float((dependent @ c)[1]) == pytest.approx(2 * float((dependent @ c)[0]))
    assert not span_contains(dependent, torch.tensor([1.0, 0.0], dtype=torch.float64)).inside


@pytest.mark.parametrize("r", [1, 2, 4])
def test_the_column_space_has_as_many_vectors_as_the_rank(r):
    A = normal(6, r) @ normal(r, 5, seed=1)
    Q = column_space(A)
    assert Q.shape == (6, r)
    assert torch.allclose(Q.T @ Q, torch.eye(r, dtype=torch.float64), atol=1e-12)
    assert torch.allclose(Q @ Q.T @ A, A, atol=1e-12)


def test_a_combination_lies_inside_and_an_orthogonal_part_leads_outside():
    V = normal(6, 2) @ normal(2, 3, seed=1)
    b = V @ normal(3, seed=2)
    assert span_contains(V, b).inside
    out = torch.linalg.svd(V).U[:, -1]  # orthogonal to every column
    found = span_contains(V, b + 1e-3 * out)
    assert not found.inside and found.distance == pytest.approx(1e-3)
    assert span_contains(V, b + 1e-3 * out, tol=0.1).inside


def test_zero_is_in_every_span():
    assert span_contains(normal(3, 1), torch.zeros(3, dtype=torch.float64)).inside


def test_the_parallelogram_of_the_unit_vectors_is_the_unit_square():
    assert parallelogram(torch.eye(2)).sum(dim=0).tolist() == [2.0, 2.0]


def test_wrong_sizes_and_numbers_are_named():
    with pytest.raises(InputError, match="as many entries as V has rows"):
        span_contains(torch.eye(3), torch.ones(2))
    with pytest.raises(InputError, match="V must be finite"):
        span_contains(torch.full((2, 2), torch.nan), torch.ones(2))
    with pytest.raises(InputError, match="must not be empty"):
        column_space(torch.ones(0, 2))
