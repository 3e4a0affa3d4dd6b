import pytest
import torch
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.networks.logistic import logistic_gradient, logistic_hessian, logistic_loss


def draw(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(seed)
    w = torch.randn(4, generator=rng, dtype=torch.float64)
    x = torch.randn(30, 4, generator=rng, dtype=torch.float64)
    return w, x, (torch.rand(30, generator=rng) < 0.5).double()


def test_the_loss_is_torchs_binary_cross_entropy_with_logits():
    w, x, y = draw()
    torch.testing.assert_close(
        logistic_loss(x @ w, y), F.binary_cross_entropy_with_logits(x @ w, y), rtol=1e-13, atol=0
    )


def test_the_loss_is_right_at_any_size_of_the_logit():
    z = torch.tensor([-1e4, 1e4], dtype=torch.float64)
    assert logistic_loss(z, torch.tensor([1.0, 0.0], dtype=torch.float64)).item() == 1e4
    assert logistic_loss(z, torch.tensor([0.0, 1.0], dtype=torch.float64)).item() == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_gradient_and_hessian_are_those_of_autograd(seed):
    w, x, y = draw(seed)
    loss = lambda v: logistic_loss(x @ v, y)  # noqa: E731
    torch.testing.assert_close(
        logistic_gradient(w, x, y), torch.func.grad(loss)(w), rtol=1e-12, atol=1e-12
    )
    torch.testing.assert_close(
        logistic_hessian(w, x), torch.func.hessian(loss)(w), rtol=1e-10, atol=1e-12
    )
    assert torch.linalg.eigvalsh(logistic_hessian(w, x)).min() >= 0


def test_labels_other_than_0_and_1_are_refused():
    w, x, y = draw()
    with pytest.raises(InputError, match="labels 0 or 1, got -1"):
        logistic_loss(x @ w, 2 * y - 1)
    with pytest.raises(InputError, match="labels 0 or 1"):
        logistic_gradient(w, x, y + 0.5)
