import pytest
import torch
from scipy.stats import kstest

from corollary.errors import InputError
from corollary.theory.prerequisites.orthogonal import is_orthogonal, random_orthogonal


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("n", [1, 2, 10])
def test_the_inverse_is_the_transpose_and_lengths_are_kept(n):
    Q = random_orthogonal(n, rng=rng())
    assert is_orthogonal(Q)
    assert torch.allclose(torch.linalg.inv(Q), Q.T, atol=1e-12)
    x = torch.randn(n, generator=rng(1), dtype=torch.float64)
    assert float((Q @ x).norm()) == pytest.approx(float(x.norm()), rel=1e-12)


def test_a_tall_matrix_with_orthonormal_columns_is_rejected():
    Q = random_orthogonal(4, rng=rng())[:, :2]
    assert torch.allclose(Q.T @ Q, torch.eye(2, dtype=torch.float64), atol=1e-12)
    assert not is_orthogonal(Q) and not is_orthogonal(2 * torch.eye(3))


def test_the_law_is_uniform_also_in_sign():
    """Entries of a uniform 3 x 3 orthogonal matrix are uniform on [-1, 1] (Archimedes)."""
    source = rng()
    corners = [float(random_orthogonal(3, rng=source)[0, 0]) for _ in range(500)]
    assert kstest(corners, "uniform", args=(-1, 2)).pvalue > 1e-3


def test_bad_input_is_named():
    with pytest.raises(InputError, match="n must be at least 1"):
        random_orthogonal(0, rng=rng())
    with pytest.raises(InputError, match="Q must be finite"):
        is_orthogonal(torch.full((2, 2), torch.nan))
