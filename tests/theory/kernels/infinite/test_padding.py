"""Padding, also with different numbers at the two ends, against torch, loops and wide networks."""

import itertools

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.infinite import (
    Conv,
    Dense,
    Flatten,
    GlobalAvgPool,
    Pad,
    Relu,
    Sigmoid,
    from_module,
    network,
    sampled_kernels,
)

ENDS = ((2, 0), (1, 3))  # rows above and below, columns left and right
TORCH = {
    "zeros": "constant",
    "circular": "circular",
    "reflect": "reflect",
    "replicate": "replicate",
}


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed, "padding", *shape), dtype=torch.float64)


@pytest.mark.parametrize("gather", [Flatten(), GlobalAvgPool()], ids=["flat", "pooled"])
@pytest.mark.parametrize("mode", TORCH)
def test_padding_first_is_the_kernel_of_padded_images(mode, gather):
    x, rest = draw(3, 2, 4, 5), (Conv(1.2, 0.3), Relu(), gather, Dense())
    padded = F.pad(x, (1, 3, 2, 0), mode=TORCH[mode])
    ours = network(Pad(ENDS, mode), *rest).kernel(x, backend="torch")
    theirs = network(*rest).kernel(padded, backend="torch")
    assert torch.allclose(ours.nngp, theirs.nngp, rtol=1e-12)
    assert torch.allclose(ours.ntk, theirs.ntk, rtol=1e-12)


def test_negative_amounts_cut_off():
    x = draw(3, 2, 4, 5)
    cut = network(Pad(((-1, 0), (2, -2))), Flatten()).kernel(x).nngp
    assert torch.allclose(cut, network(Flatten()).kernel(F.pad(x, (2, -2, -1, 0))).nngp)


@pytest.mark.parametrize("backend", ["torch", "numba"])
@pytest.mark.parametrize("stride", [1, 2])
def test_uneven_padding_of_a_convolution_is_padding_before_it(backend, stride):
    x = draw(3, 2, 5, 4)
    options = {"kernel": (3, 2), "stride": (stride, 1)}
    for gather in (Flatten(), GlobalAvgPool()):
        ends = (Relu(), gather, Dense())
        whole = network(Conv(1.2, 0.3, **options, padding=ENDS), *ends).kernel(x, backend=backend)
        parts = network(Pad(ENDS), Conv(1.2, 0.3, **options, padding="valid"), *ends).kernel(x)
        assert torch.allclose(whole.nngp, parts.nngp, rtol=1e-12)
        assert torch.allclose(whole.ntk, parts.ntk, rtol=1e-12)


def test_a_hidden_layer_with_uneven_padding_is_the_formula_by_loops():
    """K'(s, s') as a sum over offsets, position by position, for one pair of images."""
    x = draw(2, 3, 3, 2)
    sigma_w, sigma_b, places = 1.3, 0.4, list(itertools.product(range(3), range(2)))

    def covariance(i, j, s, t):
        """After one convolution of a single pixel."""
        return sigma_w**2 * float(x[i, :, *s] @ x[j, :, *t]) / 3 + sigma_b**2

    def after(s, t):
        total = 0.0
        for a in itertools.product(range(2), range(2)):
            u, v = (s[0] + a[0] - 1, s[1] + a[1]), (t[0] + a[0] - 1, t[1] + a[1])
            total += covariance(0, 1, u, v) if u in places and v in places else 0.0
        return total / 4 * sigma_w**2 + sigma_b**2

    outputs = list(itertools.product(range(3), range(1)))  # a row of zeros above, none elsewhere
    pooled = sum(after(s, t) for s in outputs for t in outputs) / len(outputs) ** 2
    for middle in (
        (Conv(sigma_w, sigma_b, kernel=(2, 2), padding=((1, 0), 0)),),
        (Pad(((1, 0), (0, 0))), Conv(sigma_w, sigma_b, kernel=(2, 2), padding="valid")),
    ):
        net = network(Conv(sigma_w, sigma_b, kernel=(1, 1)), *middle, GlobalAvgPool())
        assert float(net.kernel(x).nngp[0, 1]) == pytest.approx(pooled, rel=1e-12)


def image_network(m):
    return nn.Sequential(
        nn.Conv2d(2, m, 2),
        nn.ReLU(),
        nn.ZeroPad2d((2, 0, 0, 1)),
        nn.Conv2d(m, m, 2),
        nn.ReLU(),
        nn.ReflectionPad2d((0, 1, 1, 0)),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(m, 2),
    ).double()


def after_zeros(m):
    """A function with f(0) = 1/2 right after zeros."""
    return nn.Sequential(
        nn.Conv2d(2, m, 2),
        nn.ZeroPad2d((2, 0, 0, 1)),
        nn.Sigmoid(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(m, 2),
    ).double()


@pytest.mark.parametrize("build", [image_network, after_zeros])
def test_sampled_networks_with_padding_have_the_kernels(build):
    x = draw(2, 2, 3, 3)

    def make(rng):
        net = build(24)
        with torch.no_grad():
            for layer in net:
                if hasattr(layer, "weight"):
                    fan_in = layer.weight[0].numel()
                    layer.weight.normal_(generator=rng).mul_(1.3 / fan_in**0.5)
                    layer.bias.normal_(generator=rng).mul_(0.3)
        return net

    net = from_module(make(generator(0)), sigma_w=1.3, sigma_b=0.3, parametrization="standard")
    limit, found = net.kernel(x), sampled_kernels(make, x, draws=60, rng=generator(0, "padded"))
    assert ((found.nngp - limit.nngp).abs() < 5 * found.nngp_error).all()
    assert ((found.ntk - limit.ntk).abs() < 5 * found.ntk_error).all()
    assert (found.ntk_error < 0.15 * limit.ntk).all()


class Function(nn.Module):
    """``F.pad`` before a convolution."""

    def __init__(self, *options):
        super().__init__()
        self.conv, self.options = nn.Conv2d(2, 4, 2), options

    def forward(self, x):
        return self.conv(F.pad(x, *self.options)).flatten(1)


@pytest.mark.parametrize(
    ("module", "mode"),
    [
        (nn.ZeroPad2d((1, 3, 2, 0)), "zeros"),
        (nn.ConstantPad2d((1, 3, 2, 0), 0.0), "zeros"),
        (nn.CircularPad2d((1, 3, 2, 0)), "circular"),
        (nn.ReflectionPad2d((1, 3, 2, 0)), "reflect"),
        (nn.ReplicationPad2d((1, 3, 2, 0)), "replicate"),
        (Function((1, 3, 2, 0)), "zeros"),
        (Function((1, 3, 2, 0), "constant", 0.0), "zeros"),
        (Function((1, 3, 2, 0), "reflect"), "reflect"),
    ],
)
def test_padding_is_read_from_modules_and_functions(module, mode):
    if not isinstance(module, Function):
        module = nn.Sequential(module, nn.Flatten())
    layer = from_module(module).steps[0].layer
    assert layer == Pad(ENDS, mode)


def test_sequences_are_padded_too():
    assert from_module(nn.Sequential(nn.ZeroPad1d((1, 2)), nn.Flatten())).steps[0].layer == Pad(
        ((1, 2),)
    )
    x = draw(3, 2, 5)
    ours = network(Pad(((1, 2),)), Conv(kernel=(3,)), Sigmoid(), GlobalAvgPool(), Dense()).kernel(x)
    theirs = network(Conv(kernel=(3,)), Sigmoid(), GlobalAvgPool(), Dense()).kernel(
        F.pad(x, (1, 2))
    )
    assert torch.allclose(ours.ntk, theirs.ntk, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Pad(mode="edge"), "got 'edge'"),
        (lambda: Pad(((-1, 0),), "circular"), "only zero padding"),
        (lambda: network(Pad(), Flatten()).kernel(draw(2, 3, 4)), "1 axes of positions, got 2"),
        (
            lambda: network(Pad(((9, 0),), "reflect"), Flatten()).kernel(draw(2, 3, 4)),
            "4 positions",
        ),
        (lambda: network(Pad(((-2, -2),)), Flatten()).kernel(draw(2, 3, 4)), "4 positions"),
        (lambda: Conv(padding=(1,)).paddings, "padding for 2 axes"),
        (
            lambda: from_module(nn.Sequential(nn.ConstantPad2d(1, 0.5), nn.Flatten())),
            "'0' .ConstantPad2d",
        ),
        (lambda: from_module(Function((1, 1), "constant", 2.0)), "function pad"),
    ],
)
def test_padding_that_has_no_rule_is_refused_by_name(make, words):
    with pytest.raises(InputError, match=words):
        make()
