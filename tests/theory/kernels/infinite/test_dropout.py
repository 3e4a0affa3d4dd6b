"""Dropout in training: the diagonal grows."""

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.infinite import (
    Conv,
    Dense,
    Dropout,
    Flatten,
    GlobalAvgPool,
    Relu,
    from_module,
    network,
    sampled_kernels,
)

SIGMAS = {"sigma_w": 1.2, "sigma_b": 0.3}
DEEP = network(Dense(1.2), Relu(), Dropout(0.5), Dense(1.1, 0.1), Relu(), Dropout(0.2), Dense())
IMAGES = network(Conv(), Relu(), Flatten(), Dense(), Relu(), Dropout(0.4), Dense())
TOKENS = network(Conv(kernel=(3,)), Relu(), Dropout(0.4), GlobalAvgPool(), Dense(), Relu(), Dense())


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed, "dropout", *shape), dtype=torch.float64)


class Masked(nn.Module):
    """Dropout with masks that come with the inputs: units m after 3 features."""

    def __init__(self, m):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, m), nn.Linear(m, m), nn.Linear(m, 2)

    def forward(self, x):
        h = torch.relu(self.a(x[:, :3])) * x[:, 3:] * 2
        return self.c(torch.relu(self.b(h)))


def test_sampled_networks_with_masks_have_the_kernels():
    """Bit i of a unit's number is its mask at input i: each keeps a half, each pair a quarter."""
    m, x = 96, draw(3, 3)
    masks = torch.stack([(torch.arange(m) >> i) & 1 for i in range(3)]).double()

    def make(rng):
        net = Masked(m).double()
        with torch.no_grad():
            for layer in net.children():
                layer.weight.normal_(generator=rng).mul_(1.2 / layer.in_features**0.5)
                layer.bias.normal_(generator=rng).mul_(0.3)
        return net

    plain = nn.Sequential(
        nn.Linear(3, m), nn.ReLU(), nn.Dropout(0.5), nn.Linear(m, m), nn.ReLU(), nn.Linear(m, 2)
    )
    limit = from_module(plain, parametrization="standard", dropout=True, **SIGMAS).kernel(x)
    found = sampled_kernels(make, torch.cat([x, masks], 1), draws=80, rng=generator(0, "masks"))
    assert ((found.nngp - limit.nngp).abs() < 5 * found.nngp_error).all()
    assert ((found.ntk - limit.ntk).abs() < 5 * found.ntk_error).all()
    without = from_module(plain, parametrization="standard", **SIGMAS).kernel(x)
    assert ((limit.ntk - without.ntk).diagonal() > 8 * found.ntk_error.diagonal()).all()


@pytest.mark.parametrize(("net", "shape"), [(DEEP, (3,)), (IMAGES, (2, 4, 4)), (TOKENS, (2, 5))])
@pytest.mark.parametrize("backend", ["torch", "numba"])
def test_blocks_and_diagonal_know_which_input_meets_itself(net, shape, backend):
    x = draw(6, *shape)
    whole = net.run(x, x, same=0)
    k = net.kernel(x, memory=3000, backend=backend)
    assert torch.allclose(k.nngp, whole.nngp, rtol=1e-12)
    assert torch.allclose(k.ntk, whole.ntk, rtol=1e-12)
    assert torch.allclose(net.diagonal(x).ntk, whole.ntk.diagonal(), rtol=1e-12)
    assert torch.allclose(net.operator(x) @ torch.ones(6).double(), whole.ntk.sum(1), rtol=1e-12)


def test_two_sets_of_inputs_have_masks_of_their_own():
    x = draw(4, 3)
    net, bare = network(Dense(), Relu(), Dropout(0.5), Dense()), network(Dense(), Relu(), Dense())
    assert torch.allclose(net.kernel(x, x).ntk, bare.kernel(x).ntk, rtol=1e-13)
    grown = bare.kernel(x).nngp
    grown.diagonal().mul_(2)
    assert torch.allclose(net.kernel(x).nngp, grown, rtol=1e-13)


def test_derivatives_pass_through_dropout():
    x, sigma = draw(3, 3), torch.tensor(1.2, dtype=torch.float64, requires_grad=True)
    k = network(Dense(sigma), Relu(), Dropout(0.5), Dense()).kernel(x).nngp
    (slope,) = torch.autograd.grad(k.sum(), sigma)
    assert slope.item() == pytest.approx(2 * k.sum().item() / 1.2, rel=1e-12)  # K is quadratic


def test_a_module_drops_only_when_asked():
    class Functional(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 1)

        def forward(self, x):
            return self.b(nn.functional.dropout(torch.relu(self.a(x)), 0.5))

    x, bare = draw(3, 3), network(Dense(1.2, 0.3), Relu(), Dense(1.2, 0.3))
    assert torch.allclose(from_module(Functional(), **SIGMAS).kernel(x).ntk, bare.kernel(x).ntk)
    assert len(from_module(Functional(), dropout=True).steps) == 4
    whole = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Dropout2d(), nn.Flatten(), nn.Linear(8, 1))
    with pytest.raises(InputError, match="Dropout2d"):
        from_module(whole, dropout=True)


@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_the_rate_is_a_share(rate):
    with pytest.raises(InputError, match="share of units"):
        Dropout(rate)
