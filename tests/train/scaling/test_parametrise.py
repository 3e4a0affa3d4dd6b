"""Parametrisations made true on a network: its exponents are theory's."""

import pytest
import torch
from torch import nn

from corollary.theory.scaling.abc import PARAMETRISATIONS
from corollary.train.scaling.check import width_check
from corollary.train.scaling.parametrise import parametrise

WIDTHS = (64, 128, 256, 512)


def network(n):
    layers = [nn.Linear(4, n, bias=False), nn.Tanh(), nn.Linear(n, n, bias=False), nn.Tanh()]
    return nn.Sequential(*layers, nn.Linear(n, 4, bias=False))


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam])
@pytest.mark.parametrize("parametrisation", PARAMETRISATIONS, ids=lambda p: p.name)
def test_measured_exponents_are_those_of_theory(parametrisation, optimizer):
    def build(n):
        model = network(n)
        return model, parametrise(model, network(64), parametrisation, optimizer, lr=0.01)

    data = torch.eye(4), 100 * torch.eye(4)  # the loss's gradient is the same at all widths
    found = width_check(build, data, widths=WIDTHS, steps=1, seeds=6, confirm=False)
    for row in found.layers:
        known = row.theory[parametrisation.name]
        assert row.activation.value == pytest.approx(known.activation, abs=0.2)
        assert row.update.value == pytest.approx(known.update, abs=0.2)
        assert row.logits.value == pytest.approx(known.logits, abs=0.25)


def test_at_the_base_all_parametrisations_are_one_network():
    x = torch.randn(3, 4)
    found = []
    for parametrisation in PARAMETRISATIONS:
        torch.manual_seed(0)
        model = network(64)
        optimizer = parametrise(model, network(64), parametrisation, torch.optim.Adam, lr=0.01)
        assert [group["lr"] for group in optimizer.param_groups] == [0.01]
        torch.manual_seed(1)
        parametrise(model, network(64), parametrisation, torch.optim.Adam, lr=0.01)
        found.append(model(x))
    assert all(torch.allclose(found[0], other) for other in found)
