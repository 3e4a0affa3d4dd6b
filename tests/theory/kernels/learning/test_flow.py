"""Kernel training in time, against matrix exponentials of SciPy and integration."""

import math

import pytest
import torch
from scipy.linalg import expm
from torch.nn import functional

from corollary.errors import InputError
from corollary.theory.kernels.learning import KernelFlow, kernel_flow, loss_flow

D = torch.float64


def problem(n: int = 5, p: int = 9) -> tuple[torch.Tensor, ...]:
    rng = torch.Generator().manual_seed(0)
    phi, y, f0 = (torch.randn(*s, generator=rng, dtype=D) for s in ((n, p), (n, 2), (n, 2)))
    return phi @ phi.T / p, y, f0


@pytest.mark.parametrize("t", [0.0, 0.3, 4.0])
def test_training_outputs_are_a_matrix_exponential(t):
    k, y, f0 = problem()
    decay = torch.as_tensor(expm(-t * k.numpy()))
    assert torch.allclose(KernelFlow(k, y, f0).train(t), y + decay @ (f0 - y), atol=1e-12)


def test_the_flow_at_training_inputs_is_the_training_flow():
    k, y, f0 = problem()
    flow = KernelFlow(k, y, f0)
    for t in (0.5, 3.0, math.inf):
        assert torch.allclose(flow.at(k, t, f0), flow.train(t), atol=1e-10)


def test_error_components_decay_with_their_eigenvalues():
    k, y, f0 = problem()
    values, vectors = torch.linalg.eigh(k)
    flow = KernelFlow(k, y, f0)
    start, later = (vectors.T @ (flow.train(t) - y) for t in (0.0, 2.0))
    assert torch.allclose(later, start * torch.exp(-2 * values)[:, None], atol=1e-12)


def test_a_singular_kernel_moves_on_its_range_only():
    k = torch.ones(2, 2, dtype=D)  # two equal inputs
    y = torch.tensor([1.0, 3.0], dtype=D)
    flow = KernelFlow(k, y)
    assert flow.train(math.inf).tolist() == pytest.approx([2.0, 2.0])
    assert flow.at(k, math.inf).tolist() == pytest.approx([2.0, 2.0])


def test_the_printed_formula_without_the_start_is_wrong_by_the_start():
    k, y, f0 = problem()
    printed = kernel_flow(k, k, y - f0, 0.0)  # no f_0 added: 0 at t = 0
    assert float(printed.abs().max()) == 0.0
    assert torch.allclose(kernel_flow(k, k, y, 0.0, f0=f0, f0_cross=f0), f0)


def test_any_loss_agrees_with_the_closed_form_for_squares():
    k, y, f0 = problem()
    a = loss_flow(k, lambda f: ((f - y) ** 2).sum() / 2, f0, [0.5, 2.0])
    for coefficients, t in zip(a, (0.5, 2.0), strict=True):
        assert torch.allclose(f0 + k @ coefficients, KernelFlow(k, y, f0).train(t), atol=1e-6)


def test_cross_entropy_flow_is_small_steps_of_descent():
    k, _, f0 = problem()
    labels = torch.tensor([0, 1, 0, 1, 1])
    loss = lambda f: functional.cross_entropy(f, labels, reduction="sum")  # noqa: E731
    a = loss_flow(k, loss, f0, [1.0])[0]
    f, h = f0.clone(), 1e-3
    for _ in range(1000):
        f = f.detach().requires_grad_()
        f = f - h * k @ torch.autograd.grad(loss(f), f)[0]
    assert torch.allclose(f0 + k @ a, f.detach(), atol=2e-3)
    assert loss(f0 + k @ a) < loss(f0)


def test_bad_problems_are_refused():
    k, y, f0 = problem()
    with pytest.raises(InputError, match="at least 0"):
        KernelFlow(k, y).train(-1.0)
    with pytest.raises(InputError, match="no negative eigenvalues"):
        KernelFlow(-k, y)
    with pytest.raises(InputError, match="got none"):
        KernelFlow(k[:0, :0], y[:0])
    with pytest.raises(InputError, match="must be increasing"):
        loss_flow(k, lambda f: f.sum(), f0, [1.0, 0.5])
