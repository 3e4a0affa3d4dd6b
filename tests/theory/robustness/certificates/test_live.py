"""Bounds with a graph; the losses and gradients stored here are those of auto_LiRPA 0.7.1."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import generator
from corollary.errors import InputError, NotApplicableError
from corollary.models.mlp import MLP
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.live import LiveBounds
from corollary.theory.robustness.gradient_attacks import PGD


def net_and_data(n=12, k=4):
    rng = generator(0, "live")
    net = MLP([5, 12, 9, k], rng=rng)
    x = torch.rand(n, 5, generator=rng, dtype=torch.float64)
    return net, x, torch.arange(n) % k


def worst_loss(net, x, y, eps=0.1, **options):
    mix = options.pop("mix", 0.0)
    return F.cross_entropy(LiveBounds(net, x, **options).worst(x, y, eps, mix=mix), y)


@pytest.mark.parametrize("norm", ["linf", "l2"])
@pytest.mark.parametrize(("mix", "method"), [(0.0, "ibp"), (1.0, "crown-ibp")])
@pytest.mark.parametrize("box", [None, (0.0, 1.0)])
def test_margins_are_those_that_are_certified(norm, mix, method, box):
    net, x, y = net_and_data()
    live = LiveBounds(net, x, norm=norm, box=box).margins(x, y, 0.05, mix=mix)
    certified = Certifier(net, x, norm=norm, box=box).margins(x, y, 0.05, method)
    if method == "ibp":
        assert torch.allclose(live.amin(1), certified, atol=1e-10)
    else:  # which keeps the better of both
        assert bool((live.amin(1) <= certified + 1e-10).all())


@pytest.mark.parametrize("norm", ["linf", "l2"])
@pytest.mark.parametrize("mix", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("box", [None, (0.0, 1.0)])
def test_gradients_are_those_of_finite_differences(norm, mix, box):
    net, x, y = net_and_data()
    bounds = LiveBounds(net, x, norm=norm, box=box)
    parameters = list(net.parameters())
    rng = generator(1, "direction")
    v = [torch.randn(p.shape, generator=rng, dtype=p.dtype) for p in parameters]

    def moved(t):
        with torch.no_grad():
            for p, d in zip(parameters, v, strict=True):
                p.add_(d, alpha=t)
        return F.cross_entropy(bounds.worst(x, y, 0.1, mix=mix), y)

    grads = torch.autograd.grad(moved(0.0), parameters)
    slope = sum(float((g * d).sum()) for g, d in zip(grads, v, strict=True))
    h = 1e-6
    up, down = moved(h).item(), moved(-2 * h).item()
    assert (up - down) / (2 * h) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("sigma", [nn.Tanh(), nn.GELU(), nn.SELU(), nn.Hardswish(), nn.Softsign()])
def test_gradients_through_curves_are_those_of_finite_differences(sigma):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 9), sigma, nn.Linear(9, 9), sigma, nn.Linear(9, 3)).double()
    x, y = torch.rand(6, 5).double(), torch.arange(6) % 3
    bounds, v = LiveBounds(net, x), torch.randn(9, 5).double()

    def moved(t):
        with torch.no_grad():
            net[0].weight.add_(v, alpha=t)
        return F.cross_entropy(bounds.worst(x, y, 0.05, mix=1.0), y)

    (grad,) = torch.autograd.grad(moved(0.0), net[0].weight)
    h = 1e-6
    up, down = moved(h).item(), moved(-2 * h).item()
    assert (up - down) / (2 * h) == pytest.approx(float((grad * v).sum()), rel=1e-3)


def test_no_attack_finds_a_larger_loss_than_the_worst_logits_have():
    net, x, y = net_and_data()
    for norm, eps in (("linf", 0.05), ("l2", 0.1)):
        attack = PGD(eps, steps=20, norm=norm, keep="best")
        found = attack.inputs(net, x, y, rng=generator(0, "attack"))
        losses = F.cross_entropy(net(found), y, reduction="none")
        for mix in (0.0, 1.0):
            worst = LiveBounds(net, x, norm=norm, box=(0.0, 1.0)).worst(x, y, eps, mix=mix)
            assert bool((F.cross_entropy(worst, y, reduction="none") >= losses - 1e-9).all())


def test_the_weights_are_those_of_the_moment_also_where_they_are_computed():
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 3)).double()
    normed = nn.Sequential(
        nn.utils.parametrizations.weight_norm(nn.Linear(5, 6)), nn.ReLU(), nn.Linear(6, 3)
    ).double()
    _, x, _ = net_and_data()
    y = torch.zeros(len(x), dtype=torch.int64)
    for net in (plain, normed):
        bounds = LiveBounds(net, x)
        for _ in range(2):  # the graph of the first pass is gone in the second
            net.zero_grad()
            found = bounds.margins(x, y, 0.1)
            found.sum().backward()
            assert all(p.grad is not None for p in net.parameters())
            with torch.no_grad():
                for p in net.parameters():
                    p.mul_(1.5)
            again = bounds.margins(x, y, 0.1)
            fresh = LiveBounds(net, x).margins(x, y, 0.1)
            assert torch.equal(again, fresh) and not torch.allclose(again, found)


def test_a_single_score_keeps_its_sign_and_its_shape():
    torch.manual_seed(0)
    x, y = torch.rand(6, 3).double(), torch.tensor([1.0, -1.0] * 3).double()
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)).double()
    flat = nn.Sequential(net, nn.Flatten(0))
    worst = LiveBounds(net, x).worst(x, y, 0.1)
    assert worst.shape == (6, 1)
    assert bool((y * worst[:, 0] < y * net(x)[:, 0]).all())
    assert torch.allclose(LiveBounds(flat, x).worst(x, y, 0.1), worst[:, 0])


def test_with_many_classes_forms_give_the_same_as_pairs_of_rows(monkeypatch):
    from corollary.theory.robustness.certificates import elision

    net, x, y = net_and_data()
    short = LiveBounds(net, x).margins(x, y, 0.1)
    certified = Certifier(net, x).margins(x, y, 0.1, "ibp")
    monkeypatch.setattr(elision, "CLASSES", 1)
    assert torch.allclose(LiveBounds(net, x).margins(x, y, 0.1), short, atol=1e-12)
    assert torch.allclose(Certifier(net, x).margins(x, y, 0.1, "ibp"), certified, atol=1e-12)


def test_margins_of_a_last_layer_in_single_precision_are_below_the_exact_ones():
    rng = generator(0, "exact")
    for scale in (1.0, 1e3):  # with large numbers of both signs sums lose most digits
        net = nn.Sequential(nn.ReLU(), nn.Linear(300, 5))
        with torch.no_grad():
            for p in net.parameters():
                p.copy_(scale * torch.randn(p.shape, generator=rng))
        x, y = torch.rand(40, 300, generator=rng), torch.arange(40) % 5
        eps = 0.01
        found = Certifier(net, x).margins(x, y, eps, "ibp").double()
        w, b = (p.detach().double() for p in net[1].parameters())
        low, high = (x.double() - eps).clamp_min(0), (x.double() + eps).clamp_min(0)
        d = w[y][:, None] - w  # (n, k, in)
        exact = (d.clamp_min(0) * low[:, None] + d.clamp_max(0) * high[:, None]).sum(2)
        exact = exact + b[y][:, None] - b
        exact[torch.arange(40), y] = torch.inf
        exact = exact.amin(1)
        assert bool((found <= exact).all())
        assert bool((exact - found < 0.02 * scale).all())


def test_what_has_no_bounds_is_refused_by_name_and_so_are_wrong_shares():
    class Sorts(nn.Module):
        def forward(self, x):
            return x.sort(dim=1).values

    net, x, y = net_and_data()
    with pytest.raises(NotApplicableError, match="sort"):
        LiveBounds(Sorts(), x)
    with pytest.raises(InputError, match="between 0 and 1"):
        LiveBounds(net, x).margins(x, y, 0.1, mix=1.5)
    with pytest.raises(InputError, match=">= 0"):
        LiveBounds(net, x).margins(x, y, -0.1)
