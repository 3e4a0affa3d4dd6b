"""Decisions against the exact minimum of mixed integer programming (HiGHS, by scipy)."""

import numpy as np
import pytest
import torch
from scipy.optimize import Bounds, LinearConstraint, milp
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.theory.robustness.certificates.branching import decided
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.proving import prove
from corollary.theory.robustness.scores import margins

LARGE = 100.0  # beyond every value of a unit in these networks


def smallest_margin(net: nn.Sequential, x: Tensor, y: int, eps: float) -> float:
    """The least margin over a ball: a binary number for each unit says on which side it is."""
    layers = [m for m in net if isinstance(m, nn.Linear)]
    sizes = [layers[0].in_features, *(m.out_features for m in layers[:-1])]
    hidden = sum(sizes[1:])
    starts = np.cumsum([0, *sizes]).tolist()  # inputs, then units
    total = starts[-1] + hidden  # and one binary number for each unit
    rows, low, high = [], [], []
    for k, layer in enumerate(layers[:-1]):
        w, b = layer.weight.detach().numpy(), layer.bias.detach().numpy()
        for j in range(sizes[k + 1]):
            unit = starts[k + 1] + j
            binary = unit + hidden
            before = np.zeros(total)
            before[starts[k] : starts[k] + sizes[k]] = w[j]
            above, below, off = -before, -before, np.zeros(total)
            above[unit] = below[unit] = off[unit] = 1.0  # z - w x
            below[binary] = LARGE  # z <= w x + b + M (1 - t)
            off[binary] = -LARGE  # z <= M t
            rows += [above, below, off]
            low += [b[j], -np.inf, -np.inf]
            high += [np.inf, b[j] + LARGE, 0.0]
    centre = x.numpy()
    bounds = Bounds(
        np.concatenate([centre - eps, np.zeros(2 * hidden)]),
        np.concatenate([centre + eps, np.full(hidden, np.inf), np.ones(hidden)]),
    )
    kinds = np.concatenate([np.zeros(total - hidden), np.ones(hidden)])
    w, b = layers[-1].weight.detach().numpy(), layers[-1].bias.detach().numpy()
    found = []
    for other in range(len(b)):
        if other != y:
            cost = np.zeros(total)
            cost[starts[-2] : starts[-1]] = w[y] - w[other]
            solved = milp(
                cost,
                constraints=LinearConstraint(np.array(rows), low, high),
                bounds=bounds,
                integrality=kinds,
            )
            found.append(solved.fun + b[y] - b[other])
    return min(found)


def small(seed: int) -> tuple[nn.Sequential, Tensor, Tensor]:
    torch.manual_seed(seed)
    net = (
        nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 3))
        .double()
        .requires_grad_(False)
    )
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(1.5)
    x = torch.randn(6, 4).double()
    return net, x, net(x).argmax(1)


@pytest.mark.parametrize("seed", range(2))
def test_every_sample_is_decided_as_by_mixed_integer_programming(seed):
    net, x, y = small(seed)
    certify = Certifier(net, x)
    for eps in (0.1, 0.4):
        found = decided(certify, x, y, eps)
        assert not bool(found.open.any())
        for i in range(len(x)):
            exact = smallest_margin(net, x[i], int(y[i]), eps)
            assert bool(found.proved[i]) == (exact > 0)
            if bool(found.broken[i]):
                moved = found.examples[i]
                assert float((moved - x[i]).abs().max()) <= eps
                assert float(margins(net(moved[None]), y[i : i + 1])) <= 0


def steep() -> tuple[Certifier, Tensor, Tensor]:
    torch.manual_seed(1)
    net = nn.Sequential(
        nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2)
    ).double()
    with torch.no_grad():
        net[4].weight.mul_(3.0)
    x = torch.randn(24, 3).double()
    return Certifier(net, x), x, net(x).argmax(1)


def test_a_network_that_needs_splits_gets_them():
    certify, x, y = steep()
    found = decided(certify, x, y, 0.5, seconds=600)
    weak = certify.margins(x, y, 0.5, "full-alpha-crown") > 0
    assert not bool(found.open.any())
    assert bool((found.proved & ~weak).any())  # bounds alone do not do
    assert bool((found.split >= (found.proved & ~weak)).all())
    assert not bool((weak & ~found.proved).any())


def test_a_search_that_may_not_split_says_what_is_open():
    certify, x, y = steep()
    found = decided(certify, x, y, 0.5, cases=0, attack=False)
    assert found.cases == len(x) and bool(found.open.any()) and not bool(found.split.any())
    assert not bool((found.proved & found.broken).any())


@pytest.mark.parametrize("norm, eps", [("linf", 0.05), ("l2", 0.3)])
def test_images_and_shortcuts_are_decided_too(norm, eps):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(1, 3, 3, 2, 1), nn.Conv2d(3, 3, 3, 1, 1)
            self.last = nn.Linear(12, 3)

        def forward(self, x):
            h = F.leaky_relu(self.a(x), 0.1)
            return self.last(F.relu(h + self.b(h)).flatten(1))

    torch.manual_seed(0)
    net = Block().double().requires_grad_(False)
    with torch.no_grad():
        net.last.weight.mul_(4.0)
    x = torch.rand(12, 1, 4, 4).double()
    y = net(x).argmax(1)
    found = decided(Certifier(net, x, norm=norm, box=(0.0, 1.0)), x, y, eps, seconds=600)
    assert not bool(found.open.any()) and bool(found.proved.any())
    moved = found.examples[found.broken]
    assert bool((margins(net(moved), y[found.broken]) <= 0).all())
    assert bool(((moved >= 0) & (moved <= 1)).all())


def test_proofs_go_from_the_cheapest_to_the_dearest():
    net, x, y = small(2)
    certify = Certifier(net, x)
    eps = torch.tensor([1e-6, 0.02, 0.1, 0.2, 0.3, 0.4]).double()
    found = prove(certify, x, y, eps, seconds=600)
    assert found.by[0] == "crown-ibp" and not bool(found.open.any())
    cheap = certify.margins(x, y, eps, "crown-ibp") > 0
    assert [name == "crown-ibp" for name in found.by] == cheap.tolist()
    assert found.hardest and bool((found.proved == ~found.broken).all())


def test_without_time_the_cheapest_proof_is_still_tried():
    net, x, y = small(2)
    found = prove(Certifier(net, x), x, y, 1e-6, seconds=0)
    assert set(found.by) == {"crown-ibp"}


def test_smooth_networks_stay_open_where_bounds_do_not_do():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2)).double()
    x = torch.randn(8, 3).double()
    y = net(x).argmax(1)
    found = prove(Certifier(net, x), x, y, 0.3)
    assert not bool((found.proved & found.broken).any())


def test_units_before_a_softmax_are_split_and_nothing_is_proved_that_the_logits_refute():
    net, x, y = small(1)
    logits = decided(Certifier(net, x), x, y, 0.2, seconds=600)
    normed = nn.Sequential(*net, nn.Softmax(1))
    found = decided(Certifier(normed, x), x, y, 0.2, seconds=600, cases=2000)
    assert bool(found.split.any())
    assert bool((found.proved <= logits.proved).all()) and bool(found.proved.any())
    assert bool((found.broken <= logits.broken).all())
