import pytest
import torch

from corollary.errors import InputError
from corollary.theory.networks.autoencoder import (
    autoencoder_gradients,
    optimal_autoencoder,
    reconstruction,
)


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


def test_sum_mean_and_frobenius_forms_differ_by_the_number_of_points():
    x, y = normal(7, 3), normal(7, 3, seed=1)
    each = torch.stack([0.5 * (a - b).square().sum() for a, b in zip(x, y, strict=True)])
    frobenius = torch.linalg.matrix_norm(x - y) ** 2
    torch.testing.assert_close(reconstruction(x, y), each.mean())
    torch.testing.assert_close(reconstruction(x, y, "sum"), frobenius / 2)
    torch.testing.assert_close(7 * reconstruction(x, y), reconstruction(x, y, "sum"))


def test_gradients_of_sum_and_mean_differ_by_the_same_factor():
    x, y = normal(7, 3), normal(7, 3, seed=1).requires_grad_()
    (mean,) = torch.autograd.grad(reconstruction(x, y), y)
    (total,) = torch.autograd.grad(reconstruction(x, y, "sum"), y)
    assert (total.norm() / mean.norm()).item() == pytest.approx(7)


def test_two_residuals_of_length_one_have_the_three_values_of_the_notes():
    """Printed: 1/(2n) of losses that carry a half already; mean; half the Frobenius norm."""
    x, y = torch.zeros(2, 2), torch.eye(2)
    each = 0.5 * (x - y).square().sum(dim=1)
    assert (each.sum() / (2 * 2)).item() == 0.25
    assert reconstruction(x, y).item() == 0.5
    assert reconstruction(x, y, "sum").item() == 1.0


def test_an_unknown_reduction_is_refused():
    with pytest.raises(Exception, match="reduction|median"):
        reconstruction(torch.zeros(2, 2), torch.eye(2), "median")


def test_matrix_gradients_are_those_entry_by_entry():
    C, D, x = normal(2, 4), normal(4, 2, seed=1), normal(1, 4, seed=2)
    gC, gD = autoencoder_gradients(C, D, x)
    v = x[0]
    y = D @ C @ v
    for k in range(2):
        for i in range(4):
            byhand = v[i] * sum(D[j, k] * (y[j] - v[j]) for j in range(4))
            assert gC[k, i].item() == pytest.approx(byhand.item(), rel=1e-10)
            byhand = (y[i] - v[i]) * sum(C[k, j] * v[j] for j in range(4))
            assert gD[i, k].item() == pytest.approx(byhand.item(), rel=1e-10)


def test_batch_gradients_are_those_of_the_mean_loss():
    C, D, x = normal(2, 4).requires_grad_(), normal(4, 2, seed=1).requires_grad_(), normal(9, 4)
    expected = torch.autograd.grad(reconstruction(x, x @ C.T @ D.T), (C, D))
    for ours, theirs in zip(
        autoencoder_gradients(C.detach(), D.detach(), x), expected, strict=True
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("n", "d", "m"), [(9, 4, 4), (9, 4, 6), (3, 8, 3), (3, 8, 7)])
def test_a_code_as_large_as_the_rank_loses_nothing(n, d, m):
    x = normal(n, d)
    C, D = optimal_autoencoder(x, m)
    assert C.shape == (m, d) and D.shape == (d, m)
    torch.testing.assert_close(x @ C.T @ D.T, x, rtol=1e-10, atol=1e-10)


def test_a_code_of_no_numbers_is_refused():
    with pytest.raises(InputError, match="m >= 1"):
        optimal_autoencoder(normal(3, 3), 0)
