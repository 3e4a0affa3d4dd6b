"""Resized images at infinite width."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.infinite import (
    Conv,
    Dense,
    Flatten,
    GlobalAvgPool,
    Relu,
    Resize,
    from_module,
    network,
)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed, "resize", *shape), dtype=torch.float64)


MODES = [
    ("nearest", "nearest", {}),
    ("nearest-exact", "nearest-exact", {}),
    ("linear", "bilinear", {"align_corners": False}),
    ("linear", "bilinear", {"align_corners": True}),
    ("linear", "bilinear", {"align_corners": False, "antialias": True}),
    ("cubic", "bicubic", {"align_corners": False}),
]


@pytest.mark.parametrize("size", [(5, 7), (2, 3)])
@pytest.mark.parametrize(("mode", "name", "options"), MODES, ids=str)
def test_the_matrices_of_both_axes_resize_an_image(mode, name, options, size):
    x = draw(1, 1, 4, 5)
    layer = Resize(size, mode=mode, **options)
    ours = layer.matrix(4, 0) @ x[0, 0] @ layer.matrix(5, 1).T
    assert torch.allclose(ours, F.interpolate(x, size=size, mode=name, **options)[0, 0], atol=1e-12)


def test_factors_are_those_of_torch():
    x = draw(1, 1, 4, 5)
    layer = Resize(factor=(1.5, 2.0), mode="linear")
    ours = layer.matrix(4, 0) @ x[0, 0] @ layer.matrix(5, 1).T
    theirs = F.interpolate(x, scale_factor=(1.5, 2.0), mode="bilinear")
    assert torch.allclose(ours, theirs[0, 0], atol=1e-12)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("pooled", [False, True])
def test_linear_networks_have_the_covariance_of_resized_images(mode, pooled):
    """With windows of one pixel, resizing before and after the weights is the same."""
    x = draw(3, 2, 3, 4)
    gather = GlobalAvgPool() if pooled else Flatten()
    net = network(Conv(kernel=(1, 1)), Resize((5, 2), mode=mode), gather, Dense())
    name = {"nearest": "nearest", "linear": "bilinear"}[mode]
    small = F.interpolate(x, size=(5, 2), mode=name)
    plain = network(Conv(kernel=(1, 1)), gather, Dense())
    for which in ("nngp", "ntk"):
        ours, theirs = (getattr(n.kernel(t), which) for n, t in ((net, x), (plain, small)))
        assert torch.allclose(ours, theirs, rtol=1e-12)


def wide(mode, width):
    return nn.Sequential(
        nn.Conv2d(1, width, 2, bias=False),
        nn.Upsample((4, 3), mode=mode),
        nn.ReLU(),
        nn.Conv2d(width, width, 2, bias=False),
        nn.ReLU(),
        nn.Flatten(),
    ).double()


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_wide_networks_come_near_their_limit(mode):
    """The mean product of the last features over channels and draws is the covariance there."""
    width, draws, g = 64, 30, torch.Generator().manual_seed(0)
    x = draw(2, 1, 3, 3)
    module = wide(mode, width)
    found = []
    for _ in range(draws):
        with torch.no_grad():
            for p in module.parameters():
                fan_in = p[0].numel()
                p.copy_(torch.randn(p.shape, generator=g, dtype=p.dtype) * (2 / fan_in) ** 0.5)
            f = module(x)
            found.append(f @ f.T / f.shape[1])
    mean, error = torch.stack(found).mean(0), torch.stack(found).std(0) / draws**0.5
    limit = from_module(module, sigma_w=2**0.5, sigma_b=0.0).kernel(x).nngp
    assert bool(((mean - limit).abs() < 4 * error + 0.02 * limit.abs()).all())
    assert float((error / limit).max()) < 0.1


def test_modules_and_functions_are_read():
    class Grows(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.head = nn.Conv2d(1, 4, 2), nn.Linear(4 * 6 * 4, 1)

        def forward(self, x):
            h = F.interpolate(torch.relu(self.conv(x)), size=(6, 4), mode="bilinear")
            return self.head(torch.flatten(h, 1))

    x = draw(2, 1, 4, 4)
    net = from_module(Grows(), sigma_w=1.2, sigma_b=0.1)
    ours = network(
        Conv(1.2, 0.1, kernel=(2, 2), padding="valid"),
        Relu(),
        Resize((6, 4), mode="linear"),
        Flatten(),
        Dense(1.2, 0.1),
    )
    assert torch.allclose(net.kernel(x).ntk, ours.kernel(x).ntk, rtol=1e-12)


def test_an_area_resize_is_named_as_unknown():
    class Shrinks(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 4, 2)

        def forward(self, x):
            return F.interpolate(self.conv(x), size=2, mode="area").flatten(1)

    with pytest.raises(InputError, match="interpolate of this kind"):
        from_module(Shrinks())


def test_the_nearest_pixel_keeps_the_layout_that_flattening_needs():
    nearest, mixed = (
        network(Conv(), Relu(), Resize((8, 8), mode=mode), Conv(), Relu(), Flatten(), Dense())
        for mode in ("nearest", "linear")
    )
    assert nearest.plan.full is False
    assert mixed.plan.full is True


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"size": (2, 2), "factor": (1.0, 1.0)},
        {"size": (0, 2)},
        {"size": (2, 2), "mode": "nearest", "antialias": True},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(InputError):
        Resize(**options)


def test_the_number_of_axes_must_fit():
    with pytest.raises(InputError, match="2 axes follows a layer with 1"):
        network(Conv(kernel=(3,)), Resize((2, 2)), Flatten(), Dense()).kernel(draw(2, 1, 5))
