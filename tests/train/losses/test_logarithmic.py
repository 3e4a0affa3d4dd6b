import math

import pytest
import sklearn.metrics
import torch
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.networks.information import entropy, kl
from corollary.theory.networks.softmax import softmax, softmax_jacobian
from corollary.train.losses import bce_with_logits, cross_entropy, soft_cross_entropy, squared_log
from corollary.train.losses.logarithmic import cross_entropy_gradient


def outputs(n=30, k=4, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(n, k, generator=rng, dtype=torch.float64)


Y = torch.arange(30) % 4


def test_cross_entropy_is_torchs_and_sklearns_for_numbers_and_distributions():
    o, q = outputs(), softmax(outputs(seed=1))
    torch.testing.assert_close(cross_entropy(o, Y), F.cross_entropy(o, Y))
    torch.testing.assert_close(cross_entropy(o, q), F.cross_entropy(o, q))
    expected = sklearn.metrics.log_loss(Y.numpy(), softmax(o).numpy())
    assert cross_entropy(o, Y).item() == pytest.approx(expected)


@pytest.mark.parametrize("y", [Y, softmax(outputs(seed=1))], ids=["numbers", "distributions"])
def test_the_gradient_is_p_minus_y_and_sums_to_zero(y):
    o = outputs().requires_grad_(True)
    (gradient,) = torch.autograd.grad(cross_entropy(o, y, reduction="sum"), o)
    torch.testing.assert_close(cross_entropy_gradient(o.detach(), y), gradient, rtol=0, atol=1e-10)
    assert gradient.sum(1).abs().max() < 1e-14


def test_the_gradient_in_the_weights_is_that_times_the_point():
    x, Theta = outputs(30, 6, seed=2), outputs(4, 6, seed=3).requires_grad_(True)
    (gradient,) = torch.autograd.grad(cross_entropy(x @ Theta.T, Y, reduction="sum"), Theta)
    expected = cross_entropy_gradient((x @ Theta.T).detach(), Y).T @ x
    torch.testing.assert_close(gradient, expected, rtol=1e-10, atol=1e-10)


def test_the_hessian_in_the_logits_is_the_jacobian_of_softmax():
    row, y = outputs()[:1], Y[:1]
    H = torch.autograd.functional.hessian(lambda o: cross_entropy(o, y), row).reshape(4, 4)
    torch.testing.assert_close(H, softmax_jacobian(softmax(row))[0])
    assert torch.linalg.eigvalsh(H).min() > -1e-15


def test_targets_that_do_not_sum_to_one_are_refused():
    with pytest.raises(InputError, match="sum to 1, but one sums to 0.2"):
        cross_entropy(torch.zeros(1, 2), torch.tensor([[0.1, 0.1]]))
    with pytest.raises(InputError, match="sum to 1"):
        soft_cross_entropy(torch.tensor([[0.5, 0.5]]), torch.tensor([[0.1, 0.1]]))
    with pytest.raises(InputError, match="nu must sum to 1"):
        soft_cross_entropy(torch.tensor([[0.5, 0.6]]), torch.tensor([[0.5, 0.5]]))


def test_soft_cross_entropy_exceeds_the_entropy_by_the_divergence():
    y, nu = softmax(outputs()), softmax(outputs(seed=1))
    gap = soft_cross_entropy(nu, y, reduction="none") - entropy(y)
    torch.testing.assert_close(gap, kl(y, nu), rtol=0, atol=1e-12)
    assert bool((gap > 0).all())
    same = soft_cross_entropy(y, y, reduction="none") - entropy(y)
    assert same.abs().max() < 1e-12


def test_without_unit_sums_gibbs_is_false():
    y, nu = torch.tensor([0.1, 0.1]), torch.tensor([0.5, 0.5])
    left, right = -(y * nu.log()).sum().item(), -(y * y.log()).sum().item()
    assert (round(left, 3), round(right, 3)) == (0.139, 0.461)


def test_bce_is_torchs_with_gradient_prediction_minus_label():
    z, y = outputs(20, 1).requires_grad_(True), (torch.arange(20) % 2).double()[:, None]
    torch.testing.assert_close(
        bce_with_logits(z, y), F.binary_cross_entropy_with_logits(z, y), rtol=0, atol=1e-10
    )
    (gradient,) = torch.autograd.grad(bce_with_logits(z, y, reduction="sum"), z)
    torch.testing.assert_close(gradient, torch.sigmoid(z.detach()) - y)


def test_bce_is_right_at_large_logits():
    z = torch.tensor([-100.0, 100.0, -1e4, 1e4], dtype=torch.float64, requires_grad=True)
    losses = bce_with_logits(z, torch.tensor([1.0, 0.0, 1.0, 1.0]), reduction="none")
    assert losses.tolist() == [100, 100, 1e4, 0]
    assert torch.autograd.grad(losses.sum(), z)[0].tolist() == [-1, 1, -1, 0]


def test_bce_refuses_bad_input():
    with pytest.raises(InputError, match=r"in \[0, 1\], got 2"):
        bce_with_logits(torch.zeros(2), torch.tensor([0.0, 2.0]))
    with pytest.raises(InputError, match=r"the same shape .* \(2,\) and \(2, 1\)"):
        bce_with_logits(torch.zeros(2), torch.zeros(2, 1))
    with pytest.raises(InputError, match="finite"):
        bce_with_logits(torch.tensor([math.nan]), torch.zeros(1))
    with pytest.raises(InputError, match="at least one entry"):
        bce_with_logits(torch.zeros(0), torch.zeros(0))


def test_squared_log_is_the_square_and_its_gradient_is_twice_the_loss_times_p_minus_y():
    o = outputs().requires_grad_(True)
    rows = squared_log(o, Y, reduction="none")
    log_p = torch.log_softmax(o, 1).gather(1, Y[:, None])
    torch.testing.assert_close(rows, log_p[:, 0] ** 2)
    assert bool((rows > 0).all())
    (gradient,) = torch.autograd.grad(rows.sum(), o)
    torch.testing.assert_close(gradient, -2 * log_p.detach() * cross_entropy_gradient(o.data, Y))
    assert squared_log(torch.tensor([[1e4, 0.0]]), torch.tensor([0])) == 0


def test_with_the_minus_of_the_table_perfect_predictions_are_the_worst():
    p = torch.tensor([[0.01, 0.99], [0.5, 0.5], [1 - 1e-15, 1e-15]], dtype=torch.float64)
    rows = squared_log(p.log(), torch.zeros(3, dtype=torch.long), reduction="none")
    assert (-rows)[0].item() == pytest.approx(-21.2, abs=0.05)
    assert (-rows).argmax() == 2 and rows.argmin() == 2
