import math

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.generalization.deep_relu import (
    deep_relu_bound,
    deep_suprema,
    layer_norms,
    single_unit_suprema,
)
from corollary.theory.generalization.linear_class import linear_complexity_radius, linear_suprema
from corollary.theory.generalization.rademacher import random_signs


def circle(n, seed=0):
    x = torch.randn(n, 2, generator=generator(seed, "x"), dtype=torch.float64)
    return x / x.norm(dim=1, keepdim=True)


def test_one_layer_is_the_linear_class():
    x, signs = circle(20), random_signs(30, 20, rng=generator(0, "s"))
    found = deep_suprema(x, 1.5, 1, signs, rng=generator(0, "r"))
    assert torch.allclose(found, linear_suprema(x, 1.5, signs))
    assert deep_relu_bound(1.5, 1, 20) == pytest.approx(2 * linear_complexity_radius(1.0, 1.5, 20))


@pytest.mark.parametrize("L", [1, 2, 3, 4])
@pytest.mark.parametrize("B", [0.5, 1.0, 2.0])
def test_what_ascent_finds_stays_below_both_bounds(L, B):
    x, signs = circle(30), random_signs(16, 30, rng=generator(0, "s"))
    found = float(deep_suprema(x, B, L, signs, steps=30, rng=generator(0, "r")).mean())
    for version in ("peeling", "golowich"):
        assert 0 < found <= deep_relu_bound(B, L, 30, version=version)


def test_with_two_layers_one_unit_on_a_fine_grid_is_as_good_as_any_network():
    x, signs = circle(25), random_signs(20, 25, rng=generator(0, "s"))
    exact = single_unit_suprema(x, 1.0, signs, angles=2000)
    climbed = deep_suprema(x, 1.0, 2, signs, width=16, steps=150, rng=generator(0, "r"))
    assert bool((climbed <= exact + math.pi / 2000).all())  # half a step of the grid
    assert float((climbed / exact).mean()) > 0.9


def test_the_printed_bound_is_exponential_in_the_depth_and_the_sharper_one_is_not():
    peeled = [deep_relu_bound(1.0, L, 100) for L in range(1, 11)]
    sharper = [deep_relu_bound(1.0, L, 100, version="golowich") for L in range(1, 11)]
    assert peeled[-1] / peeled[0] == pytest.approx(512)
    assert sharper[-1] / sharper[0] < 3
    assert all(a > b for a, b in zip(peeled[1:], sharper[1:], strict=True))


def test_norms_of_a_module_enter_one_by_one():
    net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Conv1d(1, 2, 3))
    norms = layer_norms(net)
    assert norms == pytest.approx([net[i].weight.detach().norm().item() for i in (0, 2)])
    assert deep_relu_bound(norms, 2, 50) == pytest.approx(4 * math.prod(norms) / math.sqrt(50))


def test_wrong_input_is_refused():
    for call in (
        lambda: deep_relu_bound([1.0], 2, 10),
        lambda: deep_relu_bound(-1.0, 2, 10),
        lambda: deep_relu_bound(1.0, 0, 10),
    ):
        with pytest.raises(InputError):
            call()
