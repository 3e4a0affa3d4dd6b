"""Existing modules: read from their graph, and sampled."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.ntk_mlp import NTKMLP
from corollary.theory.kernels.infinite import (
    Attention,
    Conv,
    Dense,
    Flatten,
    GlobalAvgPool,
    LayerNorm,
    LeakyRelu,
    Relu,
    Residual,
    Tanh,
    from_module,
    network,
    sampled_kernels,
)
from corollary.theory.kernels.infinite.sampling import jacobian
from corollary.theory.kernels.recursion import nngp_kernel, ntk_kernel


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed, "modules", *shape), dtype=torch.float64)


SIGMAS = {"sigma_w": 1.2, "sigma_b": 0.3}
D = (1.2, 0.3)


class PreActivation(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.inner, self.last = nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 1)

    def forward(self, x):
        h = self.first(x)
        h = h + self.inner(torch.relu(h))
        return self.last(nn.functional.leaky_relu(h, 0.2)) * 2.0


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 8, 3, padding=1)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.tanh(self.conv(x)).mean((2, 3)))


class Called(nn.Module):
    """A function of torch after a convolution, with its arguments as they are written."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.conv, self.head = nn.Conv2d(2, 8, 3, padding=1), nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.function(self.conv(x)).mean((2, 3)))


@pytest.mark.parametrize(
    ("function", "layer"),
    [
        (lambda h: F.avg_pool2d(h, 3, 1, 1), nn.AvgPool2d(3, 1, 1)),
        (lambda h: F.avg_pool2d(h, kernel_size=2, stride=(1, 2)), nn.AvgPool2d(2, (1, 2))),
        (
            lambda h: F.avg_pool2d(h, 3, padding=1, count_include_pad=False),
            nn.AvgPool2d(3, padding=1, count_include_pad=False),
        ),
        (lambda h: F.elu(h, 0.3), nn.ELU(0.3)),
        (lambda h: F.elu(h, alpha=2.0), nn.ELU(2.0)),
        (lambda h: F.softplus(h, beta=3.0), nn.Softplus(3.0)),
    ],
)
def test_arguments_of_a_function_count_as_those_of_its_layer(function, layer):
    x = draw(3, 2, 4, 4)
    called = from_module(Called(function), **SIGMAS).kernel(x)
    made = from_module(Called(layer), **SIGMAS).kernel(x)
    torch.testing.assert_close(called.nngp, made.nngp)
    torch.testing.assert_close(called.ntk, made.ntk)


@pytest.mark.parametrize("option", [{"ceil_mode": True}, {"divisor_override": 2}])
def test_average_pooling_without_a_rule_is_refused(option):
    with pytest.raises(InputError, match="no known limit for 'avg_pool2d"):
        from_module(Called(lambda h: F.avg_pool2d(h, 3, **option)))


class Viewed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(2, 4, 3, stride=2), nn.Linear(16, 1)

    def forward(self, x):
        x = self.conv(x).relu()
        return self.head(x.view(x.size(0), -1))


CASES = [
    (
        nn.Sequential(nn.Linear(4, 9), nn.ReLU(), nn.Dropout(), nn.Linear(9, 1)),
        network(Dense(*D), Relu(), Dense(*D)),
        (4,),
    ),
    (
        nn.Sequential(nn.Linear(4, 9), nn.LayerNorm(9), nn.Tanh(), nn.Linear(9, 1)),
        network(Dense(*D), LayerNorm(1e-5), Tanh(), Dense(*D)),
        (4,),
    ),
    (
        nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(4, 1),
        ),
        network(Conv(*D), Relu(), GlobalAvgPool(), Dense(*D)),
        (2, 5, 5),
    ),
    (
        PreActivation(),
        network(Dense(*D), Residual(Relu(), Dense(*D)), LeakyRelu(0.2), Dense(2.4, 0.6)),
        (4,),
    ),
    (Pooled(), network(Conv(*D), Tanh(), GlobalAvgPool(), Dense(*D)), (2, 4, 4)),
    (
        Viewed(),
        network(Conv(*D, stride=(2, 2), padding="valid"), Relu(), Flatten(), Dense(*D)),
        (2, 5, 5),
    ),
]


@pytest.mark.parametrize(("module", "described", "shape"), CASES)
def test_a_module_has_the_kernels_of_its_description(module, described, shape):
    x = draw(3, *shape)
    a, b = from_module(module, **SIGMAS).kernel(x), described.kernel(x)
    assert torch.allclose(a.nngp, b.nngp, rtol=1e-12)
    if not isinstance(module, PreActivation):  # there the factor 2 multiplies a trained bias
        assert torch.allclose(a.ntk, b.ntk, rtol=1e-9)


def test_by_default_the_spread_is_that_of_the_weights_at_hand():
    module = nn.Sequential(nn.Linear(400, 300))
    dense = from_module(module).steps[0].layer
    assert dense.sigma_w == pytest.approx(3**-0.5, rel=0.02)  # PyTorch draws U(±1/√fan-in)
    assert dense.fan_in == 400


def test_unknown_layers_are_named_by_their_path_all_at_once():
    module = nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(2), nn.ReLU(), nn.BatchNorm2d(2))
    with pytest.raises(InputError, match=r"'1' \(MaxPool2d\), '3' \(BatchNorm2d\)"):
        from_module(module)


class Strange(nn.Module):
    def __init__(self, step):
        super().__init__()
        self.conv, self.norm, self.step = nn.Conv2d(1, 2, 3), nn.LayerNorm(4), step

    def forward(self, x):
        return self.step(self, self.conv(x))


@pytest.mark.parametrize(
    ("step", "named"),
    [
        (lambda m, h: h.mean(1), "mean"),  # over channels
        (lambda m, h: h.view(h.size(0), 2, -1), "view"),  # keeps an axis
        (lambda m, h: h.flatten(2), "flatten"),
        (lambda m, h: m.norm(h), "norm"),  # along a row of pixels
        (lambda m, h: torch.softmax(h, 1), "softmax"),
    ],
)
def test_steps_that_only_look_like_known_ones_are_refused(step, named):
    with pytest.raises(InputError, match=named):
        from_module(Strange(step))


def test_modules_that_cannot_be_traced_are_told_what_to_do():
    class Branching(nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(InputError, match="sampled_kernels"):
        from_module(Branching())


def test_sampled_networks_agree_with_the_limit_within_their_error_bars():
    """Standard parametrisation: the mean over two-layer networks of any width is the limit."""
    x, m = draw(3, 3), 100

    def make(rng):
        net = nn.Sequential(nn.Linear(3, m), nn.ReLU(), nn.Linear(m, 2)).double()
        with torch.no_grad():
            for layer, fan_in in ((net[0], 3), (net[2], m)):
                layer.weight.normal_(generator=rng).mul_(1.2 / fan_in**0.5)
                layer.bias.normal_(generator=rng).mul_(0.3)
        return net

    limit = from_module(make(generator(0)), parametrization="standard", **SIGMAS).kernel(x)
    found = sampled_kernels(make, x, draws=64, rng=generator(0, "sampled"))
    assert ((found.nngp - limit.nngp).abs() < 5 * found.nngp_error).all()
    assert ((found.ntk - limit.ntk).abs() < 5 * found.ntk_error).all()
    assert (found.ntk_error < 0.1 * found.ntk).all()


def test_sampling_leaves_the_module_and_the_global_generator_alone():
    module = nn.Linear(2, 1)
    before, state = module.weight.clone(), torch.random.get_rng_state()
    sampled_kernels(module, torch.ones(1, 2), draws=2, rng=generator(0, "alone"))
    assert torch.equal(module.weight, before)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_sampling_needs_two_draws_and_something_to_draw():
    with pytest.raises(InputError, match="2 draws"):
        sampled_kernels(nn.Linear(1, 1), torch.ones(1, 1), draws=1, rng=generator(0))
    with pytest.raises(InputError, match="reset_parameters"):
        sampled_kernels(nn.ReLU(), torch.ones(1, 1), rng=generator(0))


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_the_empirical_kernels_of_wide_networks_approach_the_recursions(depth):
    x = draw(3, 4)
    limit = ntk_kernel(x, depth)
    net = NTKMLP([4, *[400] * (depth - 1), 1], rng=generator(1, "depth", depth))
    j = jacobian(net, x)[:, 0]
    assert torch.allclose(j @ j.T, limit.ntk, rtol=0.0, atol=0.3 * float(limit.ntk.max()))
    if depth == 1:
        assert torch.allclose(j @ j.T, limit.ntk)  # nothing is random in a linear model


def test_finite_depth_two_networks_have_the_nngp_covariance_at_any_width():
    x = draw(2, 3)
    rng = generator(0, "covariance")
    f = torch.cat([NTKMLP([3, 20, 1], rng=rng)(x).detach().T for _ in range(1000)])
    products = f[:, 0] * f[:, 1]
    limit = nngp_kernel(x, 2)[0, 1]
    assert abs(products.mean() - limit) < 5 * products.std() / len(f) ** 0.5


def test_a_narrow_network_is_not_gaussian():
    """Width 5, ReLU, no bias: kurtosis 3 (1 + (E[φ⁴] - E[φ²]²)/(5 E[φ²]²)) = 3 (1 + 5/5) = 6."""
    rng = generator(0, "kurtosis")
    w, v = (torch.randn(200_000, 5, generator=rng, dtype=torch.float64) for _ in range(2))
    f = (w.relu() * v).sum(1)
    assert (f**4).mean() / (f**2).mean() ** 2 == pytest.approx(6.0, abs=0.5)


def test_attention_with_tied_keys_agrees_with_sampled_networks():
    x = draw(2, 3, 4)
    limit = network(
        Attention(1.1, 0.9, mechanism="identity"), GlobalAvgPool(), Dense(), channels="last"
    ).nngp(x)
    rng, values = generator(0, "attention"), []
    for _ in range(200):
        m = 200
        w = torch.randn(4, m, generator=rng, dtype=x.dtype) / 2  # 1/√4
        v = torch.randn(4, m, generator=rng, dtype=x.dtype) / 2
        o = torch.randn(m, m, generator=rng, dtype=x.dtype) / m**0.5
        keys = x @ w
        mixed = 1.1 * (keys @ keys.mT) / m @ (x @ v) @ o * 0.9  # (2, 3, m)
        values.append((mixed.mean(1) @ mixed.mean(1).T) / m)
    found = torch.stack(values)
    error = found.std(0) / len(values) ** 0.5
    assert ((found.mean(0) - limit).abs() < 5 * error + 0.03 * limit.abs().max()).all()
