"""Predictions come true: below the largest stable step training descends, above it does not."""

from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.examine.examiner import examine
from corollary.train import fit

ACTIVATIONS = [nn.ReLU, nn.Tanh, nn.GELU, nn.Sigmoid, nn.ELU]
WIDTHS = [(8,), (32,), (16, 16), (64, 32)]


def case(activation, widths):
    torch.manual_seed(len(widths) * 100 + widths[0])
    sizes = [6, *widths]
    layers = []
    for a, b in zip(sizes, sizes[1:], strict=False):
        layers += [nn.Linear(a, b), activation()]
    model = nn.Sequential(*layers, nn.Linear(sizes[-1], 1)).double()
    x = torch.randn(40, 6, dtype=torch.float64)
    return model, (x, torch.sin(2 * x[:, :1]) + 0.5 * x[:, 1:2])


def trained(model, data, lr, steps):
    sgd = partial(torch.optim.SGD, lr=lr)
    return fit(model, data, F.mse_loss, sgd, steps=steps, on_nan="stop")


def largest_step(model, data):
    sgd = torch.optim.SGD(model.parameters(), lr=1e-3)
    return examine(model, data, optimizer=sgd, only="largest_step", budget=60).findings[0]


def comes_true(activation, widths):
    model, data = case(activation, widths)
    # At the start the loss still bends; after a few safe steps curvature rules.
    found = largest_step(model, data)
    trained(model, data, 0.5 * found.value.low, 300)
    found = largest_step(model, data)
    step = found.value.value
    start = {k: v.clone() for k, v in model.state_dict().items()}
    below = trained(model, data, 0.8 * step, 30).losses
    model.load_state_dict(start)
    above = trained(model, data, 1.5 * step, 30).losses
    descends = all(b <= a * (1 + 1e-9) for a, b in zip(below, below[1:], strict=False))
    # Past the limit the loss rises: for good, or until the curvature gives way and it
    # oscillates at the edge.
    rises = any(b > a for a, b in zip(above, above[1:], strict=False)) or above[-1] != above[-1]
    return descends and rises


def test_the_largest_stable_step_separates_descent_from_divergence_in_a_few_networks():
    assert all(comes_true(activation, (16, 16)) for activation in (nn.ReLU, nn.Tanh))


@pytest.mark.slow
def test_the_largest_stable_step_separates_descent_from_divergence_in_18_of_20():
    outcomes = [comes_true(a, w) for a in ACTIVATIONS for w in WIDTHS]
    assert sum(outcomes) >= 18
