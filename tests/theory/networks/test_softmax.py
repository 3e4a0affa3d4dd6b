import pytest
import torch

from corollary.errors import InputError
from corollary.theory.networks.softmax import (
    canonical_rows,
    log_softmax,
    softmax,
    softmax_jacobian,
)


def logits(n=20, k=5, seed=0, scale=3.0):
    rng = torch.Generator().manual_seed(seed)
    return scale * torch.randn(n, k, generator=rng, dtype=torch.float64)


def test_it_is_torchs():
    torch.testing.assert_close(softmax(logits()), torch.softmax(logits(), 1))
    torch.testing.assert_close(log_softmax(logits()), torch.log_softmax(logits(), 1))


def test_rows_are_probabilities_and_positive():
    p = softmax(logits())
    assert bool((p > 0).all())
    torch.testing.assert_close(p.sum(1), torch.ones(20).double(), rtol=1e-14, atol=0)


def test_adding_a_constant_to_a_row_changes_nothing():
    z = logits()
    torch.testing.assert_close(softmax(z + 7.5), softmax(z), rtol=1e-12, atol=0)
    torch.testing.assert_close(log_softmax(z + 7.5), log_softmax(z), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_nothing_overflows_at_ten_thousand(dtype):
    z = torch.tensor([[1e4, -1e4, 0.0], [-1e4, -1e4, -1e4]], dtype=dtype, requires_grad=True)
    p = softmax(z)
    assert p.tolist() == [[1, 0, 0], pytest.approx([1 / 3] * 3)]
    (log_softmax(z).sum() + p.sum()).backward()
    assert bool(z.grad.isfinite().all())
    assert log_softmax(z)[0].tolist() == [0, -2e4, -1e4]


def test_the_jacobian_is_that_of_autograd_and_positive_semidefinite_with_ones_in_its_kernel():
    z = logits(3)
    J = softmax_jacobian(softmax(z))
    for row, matrix in zip(z, J, strict=True):
        torch.testing.assert_close(torch.autograd.functional.jacobian(softmax, row), matrix)
    assert torch.linalg.eigvalsh(J).min() > -1e-15
    assert (J @ torch.ones(5).double()).abs().max() < 1e-15


def test_gradcheck():
    z = logits(2, 3).requires_grad_(True)
    assert torch.autograd.gradcheck(softmax, (z,))
    assert torch.autograd.gradcheck(log_softmax, (z,))


def test_canonical_rows_have_the_same_softmax_and_end_in_zero():
    Theta, x = logits(4, 3), logits(7, 3, seed=1)
    torch.testing.assert_close(softmax(x @ canonical_rows(Theta).T), softmax(x @ Theta.T))
    assert canonical_rows(Theta)[-1].tolist() == [0, 0, 0]


def test_no_class_at_all_is_refused():
    with pytest.raises(InputError, match=r"at least one class, got shape \(2, 0\)"):
        softmax(torch.zeros(2, 0))
