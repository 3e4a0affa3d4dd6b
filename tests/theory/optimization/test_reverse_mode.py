import pytest
import torch

from corollary.claims.optimization.backpropagation_recursion import BackpropagationRecursion
from corollary.errors import InputError
from corollary.theory.networks.activations import TANH
from corollary.theory.optimization.reverse_mode import (
    Affine,
    Convolution,
    Pointwise,
    Residual,
    forward_values,
    pull_back,
)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def gradients(given):
    h = forward_values(given.blocks, given.x)
    back = pull_back(given.blocks, h, h[-1] - given.y)
    return back, [g for own in back.gradients for g in own]


def loss(given):
    return 0.5 * (forward_values(given.blocks, given.x)[-1] - given.y).square().sum()


@pytest.mark.parametrize("network", ["mlp", "residual", "convolution"])
def test_gradients_equal_those_of_autograd(network):
    given = BackpropagationRecursion(network=network).given(rng())
    back, mine = gradients(given)
    leaves = [p.requires_grad_() for p in (*given.parameters, given.x)]
    *theirs, dx = torch.autograd.grad(loss(given), leaves)
    assert len(mine) == len(theirs) == len(given.parameters)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a.detach(), b, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(back.delta[0].detach(), dx, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("network", ["mlp", "residual", "convolution"])
def test_gradients_equal_difference_quotients(network):
    given = BackpropagationRecursion(network=network, L=4).given(rng(1))
    _, mine = gradients(given)
    for p, g in zip(given.parameters, mine, strict=True):
        u = torch.randn(p.shape, generator=rng(2), dtype=p.dtype)
        values = []
        for step in (1e-5, -1e-5):
            p += step * u
            values.append(float(loss(given)))
            p -= step * u
        quotient = (values[0] - values[1]) / 2e-5
        assert quotient == pytest.approx(float((g * u).sum()), rel=1e-6, abs=1e-7)


def test_the_cost_is_linear_in_depth():
    one = Affine(torch.eye(2).double(), torch.zeros(2).double())
    for depth in (1, 10, 100):
        h = forward_values([one] * depth, torch.ones(1, 2).double())
        assert pull_back([one] * depth, h, h[-1]).products == depth


def test_a_residual_block_adds_the_identity_path():
    inner = Affine(torch.zeros(2, 2).double(), torch.zeros(2).double())
    h = forward_values([Residual((inner, Pointwise(TANH)))], torch.ones(1, 2).double())
    delta = torch.tensor([[1.0, -2.0]]).double()
    back = pull_back([Residual((inner, Pointwise(TANH)))], h, delta)
    torch.testing.assert_close(back.delta[0], delta)


def test_a_convolution_pulls_back_as_torch_does():
    K = torch.randn(3, 2, 2, 3, generator=rng(), dtype=torch.float64)
    h = torch.randn(4, 2, 6, 7, generator=rng(1), dtype=torch.float64)
    delta = torch.randn(4, 3, 5, 5, generator=rng(2), dtype=torch.float64)
    before, (dK,) = Convolution(K).vjp(h, delta)
    torch.testing.assert_close(before, torch.nn.grad.conv2d_input(h.shape, K, delta))
    torch.testing.assert_close(dK, torch.nn.grad.conv2d_weight(h, K.shape, delta))


def test_values_that_do_not_fit_are_refused():
    one = Affine(torch.eye(2), torch.zeros(2))
    with pytest.raises(InputError, match="1 blocks need 2 values"):
        pull_back([one], [torch.ones(1, 2)], torch.ones(1, 2))
