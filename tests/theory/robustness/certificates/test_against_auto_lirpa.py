"""The bounds are those of auto_LiRPA 0.7.1 (commit a050a3d), stored here, or better.

The networks' weights are sines of their places: the same on every machine and version.
"""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.live import LiveBounds


class Block(nn.Module):
    """Two convolutions with a normalisation, and a shortcut."""

    def __init__(self, c: int, d: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(c, d, 3, stride=stride, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(d)
        self.second = nn.Conv2d(d, d, 3, padding=1)
        self.short = nn.Conv2d(c, d, 1, stride=stride)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.second(F.relu(self.norm(self.first(x)))) + self.short(x))


class Wave(nn.Module):
    """A function as a module."""

    def __init__(self, f: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.f = f

    def forward(self, x: Tensor) -> Tensor:
        return self.f(x)


def filled(net: nn.Module) -> nn.Module:
    """Weights by a formula, of the size that keeps signals."""
    with torch.no_grad():
        for k, p in enumerate(net.parameters()):
            place = torch.arange(p.numel(), dtype=torch.float64)
            fan_in = p[0].numel() if p.dim() > 1 else 16
            values = torch.sin(1.3 * k + 2.1 * place + 0.7 * place.remainder(13) ** 2)
            p.copy_((values * (4 / fan_in) ** 0.5).view(p.shape))
        for module in net.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.weight.abs_().add_(0.5)
                module.running_mean.copy_(0.1 * torch.cos(torch.arange(module.num_features)))
                module.running_var.copy_(1.0 + 0.5 * torch.sin(torch.arange(module.num_features)))
    return net.eval()


def inputs(n: int, *shape: int) -> Tensor:
    """Numbers between 0 and 1, by a formula."""
    count = torch.arange(n * torch.Size(shape).numel(), dtype=torch.float64)
    return ((1 + torch.sin(0.9 * count + count.remainder(7) ** 2)) / 2).view(n, *shape).float()


def mlp() -> nn.Module:
    return filled(
        nn.Sequential(
            nn.Flatten(),
            nn.Linear(64, 40),
            nn.ReLU(),
            nn.Linear(40, 30),
            nn.ReLU(),
            nn.Linear(30, 4),
        )
    )


def cnn() -> nn.Module:
    return filled(
        nn.Sequential(
            nn.Conv2d(1, 6, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(6, 8, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(8, 8, 3),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32, 20),
            nn.ReLU(),
            nn.Linear(20, 4),
        )
    )


def residual() -> nn.Module:
    return filled(
        nn.Sequential(
            Block(1, 4, 1), Block(4, 6, 2), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(24, 4)
        )
    )


def pooled() -> nn.Module:
    return filled(
        nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(4, 6, 3),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(24, 4),
        )
    )


NETWORKS = {"mlp": mlp, "cnn": cnn, "residual": residual, "pooled": pooled}

# network, norm, radius, method: smallest margins of three inputs against all other classes
STORED = {
    ("mlp", "linf", 0.01, "ibp"): (-1.152893, -1.868378, -1.711359),
    ("mlp", "linf", 0.01, "crown-ibp"): (-0.128310, -0.221115, -0.218842),
    ("mlp", "linf", 0.01, "crown"): (-0.033490, 0.166451, -0.103374),
    ("mlp", "l2", 0.1, "ibp"): (-1.621665, -2.516732, -2.503028),
    ("mlp", "l2", 0.1, "crown-ibp"): (-0.268261, -0.546577, -0.470069),
    ("mlp", "l2", 0.1, "crown"): (-0.085304, 0.105406, -0.165666),
    ("cnn", "linf", 0.01, "ibp"): (-7.318745, -10.439515, -9.457849),
    ("cnn", "linf", 0.01, "crown-ibp"): (-3.482862, -5.257217, -3.528504),
    ("cnn", "linf", 0.01, "crown"): (0.473230, 0.133578, 0.269214),
    ("cnn", "l2", 0.1, "ibp"): (-37.695713, -45.894241, -35.602318),
    ("cnn", "l2", 0.1, "crown-ibp"): (-23.319851, -28.573233, -20.809750),
    ("cnn", "l2", 0.1, "crown"): (0.268582, -0.122297, 0.098367),
    ("residual", "linf", 0.01, "ibp"): (-4.103624, -4.107139, -3.712487),
    ("residual", "linf", 0.01, "crown-ibp"): (-1.348932, -1.104369, -1.249499),
    ("residual", "linf", 0.01, "crown"): (0.257498, -0.030850, 0.210039),
    ("residual", "l2", 0.1, "ibp"): (-24.562445, -20.477182, -23.545265),
    ("residual", "l2", 0.1, "crown-ibp"): (-13.268986, -11.560158, -12.975673),
    ("residual", "l2", 0.1, "crown"): (-0.100488, -0.230164, -0.009636),
    ("pooled", "linf", 0.01, "ibp"): (0.338012, 0.170575, -0.217194),
    ("pooled", "linf", 0.01, "crown-ibp"): (0.558516, 0.493322, -0.040531),
    ("pooled", "linf", 0.01, "crown"): (0.558516, 0.505000, -0.038019),
    ("pooled", "l2", 0.1, "ibp"): (-1.610557, -2.053840, -1.669240),
    ("pooled", "l2", 0.1, "crown-ibp"): (-0.294912, -0.606381, -0.563082),
    ("pooled", "l2", 0.1, "crown"): (0.337524, 0.076659, -0.253462),
}


@pytest.mark.parametrize("case", STORED, ids=lambda c: f"{c[0]} {c[1]} {c[3]}")
def test_margins_are_those_of_auto_lirpa_or_better(case):
    name, norm, eps, method = case
    net, x = NETWORKS[name]().double(), inputs(3, 1, 8, 8).double()
    y = net(x).argmax(1)
    ours = Certifier(net, x, norm=norm).margins(x, y, eps, method)
    theirs = torch.tensor(STORED[case]).double()
    if name == "mlp" or norm == "linf":
        assert torch.allclose(ours, theirs, atol=1e-4)
    else:  # at the border of an image a kernel sees less of the ball, which they leave aside
        assert bool((ours >= theirs - 1e-4).all())


SIGMAS = {
    "tanh": nn.Tanh(),
    "sigmoid": nn.Sigmoid(),
    "softplus": nn.Softplus(),
    "silu": nn.SiLU(),
    "mish": nn.Mish(),
    "softsign": nn.Softsign(),
    "sin": Wave(torch.sin),
    "cos": Wave(torch.cos),
}

# function, radius, method; they have no bounds, or none backwards, of what is missing here
CURVED = {
    ("tanh", 0.01, "ibp"): (-3.611362, -3.532567, -3.669554),
    ("tanh", 0.01, "crown"): (0.112146, 0.100922, 0.232829),
    ("tanh", 0.03, "ibp"): (-7.540905, -8.084935, -8.036972),
    ("tanh", 0.03, "crown"): (-0.258886, -0.197312, -0.100107),
    ("sigmoid", 0.01, "ibp"): (-0.299642, -0.341140, -0.340271),
    ("sigmoid", 0.01, "crown"): (0.058230, 0.014720, 0.016860),
    ("sigmoid", 0.03, "ibp"): (-0.999574, -1.034970, -1.035792),
    ("sigmoid", 0.03, "crown"): (0.041585, -0.001817, 0.000867),
    ("sin", 0.01, "ibp"): (-4.051001, -4.175003, -4.338871),
    ("sin", 0.01, "crown"): (0.114347, 0.172686, 0.177770),
    ("sin", 0.03, "ibp"): (-8.135046, -8.747683, -8.777255),
    ("sin", 0.03, "crown"): (-0.250749, -0.148618, -0.098738),
    ("cos", 0.01, "ibp"): (-0.903108, -0.870943, -0.758524),
    ("cos", 0.01, "crown"): (0.220269, 0.215148, 0.188255),
    ("cos", 0.03, "ibp"): (-3.393880, -3.601585, -3.533164),
    ("cos", 0.03, "crown"): (-0.178483, -0.133848, -0.166219),
    ("mish", 0.01, "ibp"): (-3.172326, -3.958214, -3.709999),
    ("mish", 0.03, "ibp"): (-12.549173, -16.017787, -14.293740),
    ("softsign", 0.01, "ibp"): (-5.859127, -5.574066, -5.879032),
    ("softsign", 0.01, "crown"): (-0.108129, 0.014871, 0.139837),
    ("softsign", 0.03, "ibp"): (-18.560535, -18.689249, -19.137109),
    ("softsign", 0.03, "crown"): (-3.256369, -2.639481, -2.496571),
    ("silu", 0.01, "ibp"): (-2.207665, -2.788751, -2.561216),
    ("silu", 0.01, "crown"): (-0.050892, 0.181295, 0.061383),
    ("silu", 0.03, "ibp"): (-8.823289, -11.864196, -10.455907),
    ("silu", 0.03, "crown"): (-0.356726, -0.157356, -0.300629),
    ("softplus", 0.01, "ibp"): (-1.182731, -1.735231, -1.702856),
    ("softplus", 0.03, "ibp"): (-3.984964, -5.348720, -5.195299),
}


@pytest.mark.parametrize("case", CURVED, ids=str)
def test_margins_through_curves_are_those_of_auto_lirpa_or_better(case):
    name, eps, method = case
    sigma = SIGMAS[name]
    layers = nn.Linear(64, 40), sigma, nn.Linear(40, 30), sigma, nn.Linear(30, 4)
    net, x = filled(nn.Sequential(nn.Flatten(), *layers)).double(), inputs(3, 1, 8, 8).double()
    y = net(x).argmax(1)
    ours, theirs = Certifier(net, x).margins(x, y, eps, method), torch.tensor(CURVED[case])
    assert bool((ours >= theirs - 1e-6).all())
    if method == "ibp" and name not in ("silu", "mish", "softsign"):  # products and quotients there
        assert torch.allclose(ours, theirs.double(), atol=2e-6)


@pytest.mark.parametrize("name", NETWORKS)
def test_in_single_precision_rounding_costs_little_of_a_bound(name):
    net, x = NETWORKS[name](), inputs(3, 1, 8, 8)
    y = net(x).argmax(1)
    for method in ("ibp", "crown-ibp", "crown"):
        short = Certifier(net, x).margins(x, y, 0.01, method).double()
        net.double()
        true = Certifier(net, x.double()).margins(x.double(), y, 0.01, method)
        net.float()
        assert bool((short < true).all())
        assert bool((true - short < 4e-3 * (1 + true.abs())).all())


# network, norm, radius, method: cross entropy of the worst logits of six inputs, and its gradient
# (all parameters, times cosines of their places)
LOSSES = {
    ("mlp", "linf", 0.01, "ibp"): (2.4131261124824, -1.1261083684169),
    ("mlp", "linf", 0.01, "crown-ibp"): (1.2220032845665, 0.0553632953765),
    ("mlp", "l2", 0.1, "ibp"): (3.0123500646926, -1.2624248141066),
    ("mlp", "l2", 0.1, "crown-ibp"): (1.3980892278224, 0.1757892845893),
    ("cnn", "linf", 0.01, "ibp"): (9.5876356659233, 3.1656674252726),
    ("cnn", "linf", 0.01, "crown-ibp"): (4.5493339130780, 5.1675382083573),
    ("residual", "linf", 0.01, "ibp"): (4.5540531978335, 2.1992655382411),
    ("residual", "linf", 0.01, "crown-ibp"): (1.8769529819301, 1.0492291436586),
    ("pooled", "linf", 0.01, "ibp"): (1.3183064450665, -0.4769691560441),
}


@pytest.mark.parametrize("case", LOSSES, ids=lambda c: f"{c[0]} {c[1]} {c[3]}")
def test_losses_of_certified_training_and_their_gradients_are_those_of_auto_lirpa(case):
    name, norm, eps, method = case
    net, x = NETWORKS[name]().double(), inputs(6, 1, 8, 8).double()
    y = net(x).argmax(1)
    mix = float(method == "crown-ibp")
    loss = F.cross_entropy(LiveBounds(net, x, norm=norm).worst(x, y, eps, mix=mix), y)
    slope = torch.zeros(()).double()
    for g in torch.autograd.grad(loss, list(net.parameters())):
        slope += (g.flatten() * torch.arange(g.numel()).double().cos()).sum()
    assert (loss.item(), slope.item()) == pytest.approx(LOSSES[case], abs=1e-10)
