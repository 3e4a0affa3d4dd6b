"""Taylor polynomials of networks in their parameters."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.func import functional_call, jvp

from corollary.errors import InputError
from corollary.theory.kernels.empirical import Expanded, Linearized, empirical_ntk

F64 = torch.float64


def wave(*shape):
    return torch.sin(torch.arange(1, math.prod(shape) + 1, dtype=F64) ** 1.5).reshape(shape)


class Sine(nn.Module):
    def forward(self, x):
        return torch.sin(x)


def network():
    """Weights made of sines, so that nothing depends on a random stream."""
    module = nn.Sequential(
        nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 5), Sine(), nn.Linear(5, 2, bias=False)
    ).double()
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(wave(*p.shape) * (0.5 + 0.1 * i))
    return module


def direction(module):
    return [
        torch.cos(torch.arange(p.numel(), dtype=F64)).reshape(p.shape) for p in module.parameters()
    ]


def moved(module, order, scale):
    taylor = Expanded(module, order)
    with torch.no_grad():
        for t, d in zip(taylor.theta, direction(module), strict=True):
            t.add_(scale * d)
    return taylor


def truth(module, x, scale):
    steps = zip(module.named_parameters(), direction(module), strict=True)
    return functional_call(module, {k: (p + scale * d).detach() for (k, p), d in steps}, (x,))


NEURAL_TANGENTS = {  # taylor_expand of version 0.6.5 at a change of 0.3 times the direction
    0: [[1.352764761636, 1.271396101906], [1.778182387342, 1.928650965704]],
    1: [[1.229551391683, 0.727957709787], [2.1072903378, 1.764561086139]],
    2: [[1.416722797719, 0.73198289198], [2.173209887928, 1.722981809212]],
    3: [[1.38836518427, 0.81593536996], [2.173243001804, 1.714746197089]],
    4: [[1.333237057966, 0.811226429583], [2.157807181173, 1.712051636878]],
}


@pytest.mark.parametrize("order", NEURAL_TANGENTS)
def test_the_polynomial_is_that_of_neural_tangents(order):
    found = moved(network(), order, 0.3)(wave(2, 3))
    exact = torch.tensor(NEURAL_TANGENTS[order], dtype=F64)
    assert torch.allclose(found, exact, rtol=0, atol=1e-11)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_the_error_falls_with_one_power_more_than_the_order(order):
    module, x = network(), wave(4, 3)
    scales = np.array([0.02, 0.01, 0.005, 0.0025])
    with torch.no_grad():
        errors = [float((moved(module, order, s)(x) - truth(module, x, s)).norm()) for s in scales]
    slope = np.polyfit(np.log(scales), np.log(errors), 1)[0]
    assert slope == pytest.approx(order + 1, abs=0.15)


@pytest.mark.slow  # the first forward derivative in a process costs torch some seconds
def test_each_term_is_a_nested_forward_derivative():
    module, x = network(), wave(2, 3)
    names, start = zip(*((k, p.detach()) for k, p in module.named_parameters()), strict=True)

    def along(t):
        values = (p + 0.3 * t * d for p, d in zip(start, direction(module), strict=True))
        return functional_call(module, dict(zip(names, values, strict=True)), (x,))

    terms = moved(module, 2, 0.3).terms(x)
    zero, one = torch.zeros((), dtype=F64), torch.ones((), dtype=F64)
    first, second = jvp(lambda t: jvp(along, (t,), (one,))[1], (zero,), (one,))
    assert torch.allclose(terms[1], first, atol=1e-12)
    assert torch.allclose(terms[2], second / 2, atol=1e-12)


def test_order_one_is_the_linearisation():
    module, x = network(), wave(4, 3)
    linear = Linearized(module)
    with torch.no_grad():
        for t, d in zip(linear.theta, direction(module), strict=True):
            t.add_(0.3 * d)
    assert torch.allclose(moved(module, 1, 0.3)(x), linear(x), atol=1e-12)


def test_a_relu_network_is_its_own_polynomial_between_kinks():
    module = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)).double()
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(wave(*p.shape))
    x = wave(4, 3)
    small = 1e-3  # no unit changes sign
    assert torch.allclose(moved(module, 2, small)(x), truth(module, x, small), atol=1e-13)
    assert float(moved(module, 3, small).terms(x)[3].detach().abs().max()) == 0


def test_the_tangent_kernel_moves_from_order_two_on():
    module, x = network(), wave(3, 3)
    start = empirical_ntk(module, x)
    kernels = [empirical_ntk(moved(module, order, 0.05), x) for order in (1, 2, 3)]
    exact = network()
    with torch.no_grad():
        for p, d in zip(exact.parameters(), direction(exact), strict=True):
            p.add_(0.05 * d)
    there = empirical_ntk(exact, x)
    gaps = [float((k.detach() - there.detach()).norm() / there.detach().norm()) for k in kernels]
    assert torch.allclose(kernels[0], start, rtol=1e-9)
    assert gaps[0] > 3 * gaps[1] > 9 * gaps[2]


def test_it_can_be_trained():
    taylor, x, y = Expanded(network(), 2), wave(6, 3), torch.zeros(6, 2, dtype=F64)
    optimizer = torch.optim.SGD(taylor.parameters(), lr=0.02)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = (taylor.train()(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_a_polynomial_in_float32_stays_in_float32():
    taylor = Expanded(network().float(), 2)
    assert taylor(wave(2, 3).float()).dtype == torch.float32


def test_a_negative_order_is_refused():
    with pytest.raises(InputError, match="at least 0"):
        Expanded(nn.Linear(1, 1), -1)
