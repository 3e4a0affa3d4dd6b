"""Transposed convolutions and locally connected layers."""

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.infinite import (
    Conv,
    ConvLocal,
    ConvTranspose,
    Dense,
    Flatten,
    GlobalAvgPool,
    Relu,
    from_module,
    network,
    sampled_kernels,
)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed, "unshared", *shape), dtype=torch.float64)


@pytest.mark.parametrize("backend", ["torch", "numba"])
def test_local_layers_are_convolutions_to_flatten_and_not_to_pooling(backend):
    x = draw(3, 2, 4, 4)
    for gather, equal in ((Flatten(), True), (GlobalAvgPool(), False)):
        shared, local = (
            network(kind(1.2, 0.2), Relu(), gather, Dense()).kernel(x, backend=backend).ntk
            for kind in (Conv, ConvLocal)
        )
        assert torch.allclose(shared, local, rtol=1e-12) is equal


def test_pooled_linear_local_layers_average_squared_pixels():
    """One pixel windows: the mean of S independent outputs has variance mean(x²) / S."""
    x = draw(3, 1, 2, 5)
    k = network(ConvLocal(kernel=(1, 1)), GlobalAvgPool(), Dense()).kernel(x).nngp
    flat = x.flatten(1)
    assert torch.allclose(k, flat @ flat.T / 10**2, rtol=1e-13)


@pytest.mark.parametrize(
    ("stride", "padding", "more"), [(1, 0, (0, 0)), (2, 1, (0, 0)), (3, 0, (0, 0)), (3, 1, (2, 1))]
)
def test_transposed_convolutions_have_the_covariance_of_the_module(stride, padding, more):
    """Over all weights the mean product of outputs is exact for one layer at any width."""
    module = nn.ConvTranspose2d(2, 1, 3, stride, padding, more, bias=False).double()
    x = draw(2, 2, 3, 2)
    with torch.no_grad():
        units = []
        for k in range(module.weight.numel()):  # E[f f'] is a sum over single weights
            module.weight.zero_().view(-1)[k] = 1.0
            units.append(module(x).flatten(1))
        exact = sum(f @ f.T for f in units) / len(units) / units[0].shape[1]
    layer = ConvTranspose(
        kernel=(3, 3), stride=(stride,) * 2, padding=(padding,) * 2, output_padding=more
    )
    assert torch.allclose(network(layer, Flatten()).kernel(x).nngp, exact, rtol=1e-12)
    read = from_module(nn.Sequential(module, nn.Flatten()), sigma_w=1.0)
    assert torch.allclose(read.kernel(x).nngp, exact, rtol=1e-12)


def test_sampled_transposed_networks_have_the_kernels():
    x, m = draw(2, 2, 3, 3), 24

    def make(rng):
        net = nn.Sequential(
            nn.Conv2d(2, m, 2),
            nn.ReLU(),
            nn.ConvTranspose2d(m, m, 3, 2, 1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(m, 2),
        ).double()
        with torch.no_grad():
            for layer, fan_in in ((net[0], 8), (net[2], 9 * m), (net[6], m)):
                layer.weight.normal_(generator=rng).mul_(1.3 / fan_in**0.5)
                layer.bias.normal_(generator=rng).mul_(0.3)
        return net

    net = from_module(make(generator(0)), sigma_w=1.3, sigma_b=0.3, parametrization="standard")
    limit, found = net.kernel(x), sampled_kernels(make, x, draws=60, rng=generator(0, "turned"))
    assert ((found.nngp - limit.nngp).abs() < 5 * found.nngp_error).all()
    assert ((found.ntk - limit.ntk).abs() < 5 * found.ntk_error).all()
    assert (found.ntk_error < 0.15 * limit.ntk).all()


def test_the_spread_of_a_transposed_module_is_read_by_its_fan_in():
    module = nn.Sequential(nn.ConvTranspose2d(8, 3, 3), nn.Flatten())
    with torch.no_grad():
        module[0].weight.fill_(0.5)
    layer = from_module(module).steps[0].layer
    assert layer.sigma_w == pytest.approx((8 * 9 * 0.25) ** 0.5)
    assert layer.fan_in == 72


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ConvTranspose(padding=(3, 0)), "between 0 and the window"),
        (lambda: ConvTranspose(padding=(0,)), "one number for each"),
        (lambda: ConvTranspose(dilation=(2, 2)), "dilation 1"),
        (lambda: network(ConvTranspose(), Flatten()).kernel(draw(2, 3)), "axes"),
        (
            lambda: from_module(
                nn.Sequential(nn.ConvTranspose2d(2, 2, 3, 2, groups=2), nn.Flatten())
            ),
            "ConvTranspose2d of this kind",
        ),
    ],
)
def test_wrong_transposed_convolutions_say_what_is_needed(make, words):
    with pytest.raises(InputError, match=words):
        make()
