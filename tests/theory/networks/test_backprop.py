import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.networks.activations import ACTIVATIONS, LINEAR, RELU
from corollary.theory.networks.backprop import Layer, backprop, forward_pass
from corollary.theory.networks.softmax import softmax


def network(widths, names, seed=0):
    rng = torch.Generator().manual_seed(seed)
    pairs = list(zip(widths, widths[1:], strict=False))
    draw = [torch.randn(m, n + 1, generator=rng).double() for n, m in pairs]
    return [
        Layer(
            (w[:, :-1] / n**0.5).requires_grad_(True),
            w[:, -1].clone().requires_grad_(True),
            ACTIVATIONS[name],
        )
        for w, n, name in zip(draw, widths, names, strict=False)
    ]


def autograd(layers, loss):
    parameters = [p for layer in layers for p in layer[:2]]
    return torch.autograd.grad(loss, parameters)


@settings(max_examples=40, deadline=None)
@given(
    widths=st.lists(st.integers(1, 6), min_size=2, max_size=6),
    seed=st.integers(0, 10**6),
    data=st.data(),
)
def test_every_gradient_is_that_of_autograd(widths, seed, data):
    depth = len(widths) - 1
    names = data.draw(st.lists(st.sampled_from(list(ACTIVATIONS)), min_size=depth, max_size=depth))
    layers = network(widths, names, seed)
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(4, widths[0], generator=rng).double()
    y = torch.randn(4, widths[-1], generator=rng).double()
    loss = 0.5 * ((forward_pass(layers, x)[0][-1] - y) ** 2).sum()
    found = backprop([Layer(W.detach(), b.detach(), phi) for W, b, phi in layers], x, y)
    for g, ours in zip(autograd(layers, loss), flat(found), strict=True):
        torch.testing.assert_close(ours, g, rtol=1e-10, atol=1e-10)


def flat(found):
    return [g for pair in zip(found.W, found.b, strict=True) for g in pair]


def test_every_delta_is_the_derivative_in_the_preactivation():
    layers = network([3, 5, 4, 2], ["tanh", "sigmoid", "linear"])
    x, y = torch.ones(6, 3).double(), torch.zeros(6, 2).double()
    a, z = forward_pass(layers, x)
    loss = 0.5 * ((a[-1] - y) ** 2).sum()
    for delta, g in zip(backprop(layers, x, y).delta, torch.autograd.grad(loss, z), strict=True):
        torch.testing.assert_close(delta.detach(), g, rtol=1e-12, atol=1e-14)


def test_finite_differences_agree():
    layers = [Layer(W.detach(), b.detach(), f) for W, b, f in network([2, 3, 1], ["tanh"] * 2)]
    x, y, h = torch.ones(1, 2).double(), torch.ones(1, 1).double(), 1e-6

    def loss(shift):
        W = layers[0].W.clone()
        W[1, 0] += shift
        out = forward_pass([layers[0]._replace(W=W), layers[1]], x)[0][-1]
        return 0.5 * float((out - y) ** 2)

    found = backprop(layers, x, y).W[0][1, 0].item()
    assert (loss(h) - loss(-h)) / (2 * h) == pytest.approx(found, rel=1e-6)


def test_another_loss_enters_through_its_gradient():
    layers = network([3, 8, 4], ["relu", "linear"])
    x, y = torch.randn(5, 3, generator=torch.Generator().manual_seed(1)).double(), torch.eye(4)[:1]
    targets = y.expand(5, 4).double()
    loss = F.cross_entropy(forward_pass(layers, x)[0][-1], targets, reduction="sum")
    found = backprop(layers, x, targets, lambda o, t: softmax(o) - t)
    for g, ours in zip(autograd(layers, loss), flat(found), strict=True):
        torch.testing.assert_close(ours.detach(), g)


def test_widths_that_do_not_fit_are_named():
    W = torch.zeros(2, 3)
    with pytest.raises(InputError, match=r"layer 2 has 2 inputs, but .* \(2, 3\)"):
        forward_pass([Layer(W, torch.zeros(2), RELU)] * 2, torch.zeros(1, 3))
    with pytest.raises(InputError, match="at least one layer"):
        forward_pass([], torch.zeros(1, 3))
    with pytest.raises(InputError, match="layer 1 has 4 inputs"):
        backprop([Layer(W, torch.zeros(2), LINEAR)], torch.zeros(1, 4), torch.zeros(1, 2))
