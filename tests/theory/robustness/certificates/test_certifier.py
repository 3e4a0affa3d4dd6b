import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.errors import InputError, NotApplicableError
from corollary.theory.expressivity.regions.program import Program
from corollary.theory.robustness.balls import random_in_ball
from corollary.theory.robustness.certificates.backward import lowest
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.radii import certified_radius
from corollary.theory.robustness.certificates.region import Region
from corollary.theory.robustness.certificates.windows import Windows
from corollary.theory.robustness.flip import DeepFool
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import margins

METHODS = ("ibp", "crown-ibp", "crown")


class Calls(nn.Module):
    """A module whose forward pass is a function of itself and the input."""

    def __init__(self, rule, **children):
        super().__init__()
        self.rule = rule
        for name, child in children.items():
            setattr(self, name, child)

    def forward(self, x):
        return self.rule(self, x)


def residual():
    rule = lambda m, x: F.relu(m.b(F.relu(m.n(m.a(x)))) + m.s(x))  # noqa: E731
    block = Calls(
        rule,
        a=nn.Conv2d(2, 4, 3, 2, 1),
        n=nn.BatchNorm2d(4),
        b=nn.Conv2d(4, 4, 3, 1, 1),
        s=nn.Conv2d(2, 4, 1, 2),
    )
    return nn.Sequential(block, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 3))


def joined():
    rule = lambda m, x: torch.cat([m.a(x), -m.a(x), x[:, :1]], 1)  # noqa: E731
    first = Calls(rule, a=nn.Conv2d(2, 3, 3, padding=1, groups=1))
    return nn.Sequential(
        first,
        nn.LeakyReLU(0.2),
        nn.MaxPool2d(2, ceil_mode=True),
        nn.Conv2d(7, 4, 3, padding="same", dilation=1),
        nn.GELU(),
        nn.Flatten(),
        nn.Linear(36, 3),
    )


def functional():
    def rule(m, x):
        h = F.pad(x, (1, 0, 0, 1), value=0.5).clamp(0.1, 0.9)
        h = F.avg_pool2d(F.relu(m.a(h) * 2 - 0.3, inplace=True), 2)
        h = h.view(len(h), -1)
        h += 0.1
        return F.log_softmax(m.b(h), dim=1)

    return Calls(rule, a=nn.Conv2d(2, 4, 3), b=nn.Linear(16, 3))


def rows(*sigmas, d=50):
    layers = [nn.Flatten(), nn.Linear(d, 12)]
    for sigma in sigmas:
        layers += [sigma, nn.Linear(12, 12)]
    return nn.Sequential(*layers, nn.ReLU(), nn.Linear(12, 3))


ZOO = {
    "plain": lambda: rows(nn.ReLU(), nn.Dropout()),
    "kinked": lambda: rows(nn.LeakyReLU(0.3), nn.PReLU(), nn.LeakyReLU(1.7), nn.ReLU6()),
    "clipped": lambda: rows(nn.Hardtanh(-0.2, 0.3), nn.ReLU()),
    "S-shaped": lambda: rows(nn.Tanh(), nn.Sigmoid()),
    "curved": lambda: rows(nn.GELU(), nn.SiLU(), nn.Softplus(beta=2), nn.ELU(), nn.LogSigmoid()),
    "tanh GELU": lambda: rows(nn.GELU(approximate="tanh")),
    "exponential": lambda: rows(nn.SELU(), nn.CELU(0.5), nn.ELU(2.0), nn.Mish()),
    "shrunk": lambda: rows(nn.Softshrink(0.1), nn.Hardswish(), nn.Softsign(), nn.Hardsigmoid()),
    "waves": lambda: rows(Calls(lambda m, x: torch.sin(3 * x)), Calls(lambda m, x: torch.cos(x))),
    "layer norm": lambda: rows(nn.LayerNorm(12), nn.Softmax(1)),
    "batch norm": lambda: rows(nn.BatchNorm1d(12), nn.ReLU()),
    "strided": lambda: nn.Sequential(
        nn.Conv2d(2, 4, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(4, 6, 2, dilation=2, padding=1, groups=2),
        nn.ReLU(),
        nn.Conv2d(6, 4, 3, padding=1),
        nn.Conv2d(4, 4, 1),
        nn.Tanh(),
        nn.Flatten(),
        nn.LazyLinear(3),
    ),
    "transposed": lambda: nn.Sequential(
        nn.Conv2d(2, 3, 3),
        nn.ReLU(),
        nn.ConvTranspose2d(3, 2, 3, 2, 1, 1),
        nn.ReLU(),
        nn.Flatten(),
        nn.LazyLinear(3),
    ),
    "one axis": lambda: nn.Sequential(
        nn.Flatten(2),
        nn.Conv1d(2, 4, 5, stride=2),
        nn.ReLU(),
        nn.MaxPool1d(2),
        nn.Conv1d(4, 4, 3),
        nn.ReLU(),
        nn.AvgPool1d(2),
        nn.Flatten(),
        nn.LazyLinear(3),
    ),
    "residual": residual,
    "joined": joined,
    "functional": functional,
    "pooled": lambda: nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
        nn.Conv2d(4, 4, 3),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(1),
        nn.Flatten(),
        nn.Linear(4, 3),
    ),
}


def ready(name, seed=0, dtype=torch.float64):
    torch.manual_seed(seed)
    net = ZOO[name]()
    net(torch.rand(16, 2, 5, 5))  # statistics of normalisation, sizes of lazy layers
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(1.5)
    x = torch.rand(20, 2, 5, 5)
    net = net.to(dtype).eval()
    x = x.to(dtype)
    return net, x, net(x).argmax(1)


@pytest.mark.parametrize("norm", ["linf", "l2"])
@pytest.mark.parametrize("name", ZOO)
def test_no_attack_comes_below_a_certified_margin(name, norm):
    net, x, y = ready(name)
    rng = torch.Generator().manual_seed(1)
    eps = (0.02 if norm == "linf" else 0.1) * 4 ** torch.rand(len(x), generator=rng).double()
    certify = Certifier(net, x, norm=norm, box=(0.0, 1.0))
    bounds = [certify.margins(x, y, eps, method) for method in METHODS]
    assert all(bool((bounds[0] <= other + 1e-9).all()) for other in bounds[1:])

    def scaled(delta):  # a unit ball for every row
        return net((x + eps.view(-1, 1, 1, 1) * delta).clamp(0, 1))

    attack = PGD(1.0, steps=15, norm=norm, box=None, keep="best", objective="margin")
    deltas = [attack.inputs(scaled, torch.zeros_like(x), y, rng=rng)]
    deltas += [random_in_ball(x, 1.0, norm, rng=rng) for _ in range(20)]
    with torch.no_grad():
        found = torch.stack([margins(scaled(delta), y) for delta in deltas]).amin(0)
    assert bool((found >= bounds[2] - 1e-9).all())


@pytest.mark.parametrize("norm", ["linf", "l2"])
@pytest.mark.parametrize("name", ["plain", "strided", "residual", "pooled"])
def test_certified_radii_end_below_the_attacks(name, norm):
    net, x, y = ready(name, seed=1)
    x, y = x[:8], y[:8]
    found = DeepFool(norm, box=None)(net, x, y)
    sizes = torch.where(found.fooled, found.size(norm), 10.0)
    certify = Certifier(net, x, norm=norm)
    radii = [certify.radius(x, y, method, most=sizes, halvings=6) for method in METHODS]
    assert bool((radii[2] < sizes).all())
    assert bool((radii[0] > 0).any()) and bool((radii[2] >= 0.9 * radii[0]).all())


def test_the_inner_form_of_prelu_is_bounded_as_prelu():
    torch.manual_seed(0)
    first, last, a = nn.Linear(4, 6), nn.Linear(6, 3), torch.rand(6).double()
    inner = Calls(
        lambda m, x: m.last(torch.ops.aten._prelu_kernel(m.first(x), a[None])),
        first=first,
        last=last,
    )  # as some versions of torch.export write it
    outer = Calls(lambda m, x: m.last(F.prelu(m.first(x), a)), first=first, last=last)
    x = torch.rand(5, 4).double()
    y = outer.double()(x).argmax(1)
    ours, theirs = (Certifier(f.double(), x).margins(x, y, 0.05) for f in (inner, outer))
    torch.testing.assert_close(ours, theirs)


def shaded(*, convolved_first):
    """A branch with a factor per pixel beside a convolution, computed in either order."""
    torch.manual_seed(0)
    shade = torch.linspace(0.5, 1.5, 81).view(9, 9)

    def rule(m, x):
        h = m.a(x)
        if convolved_first:
            b = m.b(F.relu(h))
            return m.c(b + h * shade.to(h))
        scaled = h * shade.to(h)
        return m.c(m.b(F.relu(h)) + scaled)

    a, b, c = nn.Conv2d(2, 3, 3, padding=1), nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 2, 3)
    return nn.Sequential(Calls(rule, a=a, b=b, c=c), nn.ReLU(), nn.Flatten(), nn.Linear(98, 3))


def test_branches_are_bounded_alike_whichever_is_computed_first():
    net, other = (shaded(convolved_first=first).double() for first in (True, False))
    x = torch.rand(4, 2, 9, 9).double()
    y = net(x).argmax(1)
    ours, theirs = (Certifier(f, x).margins(x, y, 0.05) for f in (net, other))
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-12)


def test_a_thousand_certified_balls_hold_no_adversarial_example():
    rng = torch.Generator().manual_seed(0)
    tried = 0
    for seed in range(10):
        torch.manual_seed(seed)
        widths = [6, *torch.randint(4, 16, (2,)).tolist(), 3]
        layers = [
            m
            for a, b in zip(widths, widths[1:], strict=False)
            for m in (nn.Linear(a, b), nn.ReLU())
        ]
        net, x = nn.Sequential(*layers[:-1]).double(), torch.randn(100, 6).double()
        y = net(x).argmax(1)
        radius = Certifier(net, x).radius(x, y, "crown", most=2.0)

        def scaled(delta, net=net, x=x, radius=radius):  # a unit ball for every row
            return net(x + radius[:, None] * delta)

        for _ in range(3):
            corners = (torch.rand(100, 6, generator=rng).double() - 0.5).sign()
            assert bool((margins(scaled(corners), y) > -1e-12).all())
        attack = PGD(1.0, steps=20, box=None, keep="last", objective="margin", start="zero")
        worst = attack.inputs(scaled, torch.zeros_like(x), y)
        assert bool((margins(scaled(worst), y) > -1e-12).all())
        tried += len(x)
    assert tried >= 1000


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_a_linear_classifier_is_certified_exactly(norm):
    torch.manual_seed(0)
    net, x = nn.Linear(7, 4).double(), torch.randn(9, 7).double()
    out = net(x).detach()
    y = out.argmax(1)
    w = net.weight.detach()
    gaps = out.gather(1, y[:, None]) - out
    lengths = torch.linalg.vector_norm(w[y][:, None] - w, 1 if norm == "linf" else 2, dim=2)
    exact = (gaps - 0.1 * lengths).scatter(1, y[:, None], math.inf).amin(1)
    for method in METHODS:
        bound = Certifier(net, x, norm=norm).margins(x, y, 0.1, method)
        assert torch.allclose(bound, exact, rtol=1e-12)
    true = (gaps / lengths.clamp_min(1e-9)).scatter(1, y[:, None], math.inf).amin(1)
    radius = Certifier(net, x, norm=norm).radius(x, y, most=10.0, halvings=30, tolerance=1e-4)
    assert torch.allclose(radius, true, rtol=1e-3) and bool((radius <= true).all())


def test_one_hidden_layer_in_the_plane_is_bounded_by_its_linear_pieces():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 2)).double()
    x = torch.zeros(1, 2).double()
    y = net(x).argmax(1)
    grid = torch.linspace(-0.5, 0.5, 201).double()
    points = torch.cartesian_prod(grid, grid)
    with torch.no_grad():
        exact = float(margins(net(points), y.expand(len(points))).min())
    bound = float(Certifier(net, x).margins(x, y, 0.5))
    assert exact - 1.0 < bound <= exact
    patterns = Program.read(net).pattern(points)
    if len(patterns.unique(dim=0)) == 1:  # one piece: nothing is lost
        assert bound == pytest.approx(exact)


def test_windows_say_what_whole_images_say():
    net, x, _ = ready("strided")
    certify = Certifier(net, x, norm="l2", box=(0.0, 1.0))
    region = Region(x[:3], torch.tensor([0.1, 0.2, 0.3]).double(), "l2", (0.0, 1.0))
    known = certify.intervals(region, "ibp")
    for index in (1, 3, 5, 6):
        shape = tuple(known[index].lower.shape[1:])
        windows = Windows.of_entries(3, shape, x)
        some = lowest(certify.steps, known, index, windows, region)
        whole = lowest(certify.steps, known, index, windows.dense(), region)
        assert torch.allclose(some, whole, rtol=1e-10)
        owner, entry = torch.tensor([0, 2, 2]), torch.tensor([0, 3, torch.Size(shape).numel() - 1])
        picked = Windows.of_some(3, shape, x, owner, entry)
        few = lowest(certify.steps, known, index, picked, region)
        again = lowest(certify.steps, known, index, picked.dense(), region)
        c, h, w = shape
        order = whole.view(3, h, w, 2, c).permute(0, 3, 4, 1, 2).reshape(3, 2, -1)
        expected = torch.cat([order[owner, 0, entry], order[owner, 1, entry]])
        assert torch.allclose(few, expected, rtol=1e-10)
        assert torch.allclose(again, expected, rtol=1e-10)


def test_bounds_hold_every_output_and_are_exact_at_radius_zero():
    net, x, _ = ready("joined")
    certify = Certifier(net, x)
    for method in METHODS:
        low, high = certify.bounds(x, 0.0, method)
        assert torch.allclose(low, net(x), atol=1e-6) and torch.allclose(high, net(x), atol=1e-6)
    low, high = certify.bounds(x, 0.05, "crown")
    assert bool((low <= net(x)).all()) and bool((net(x) <= high).all())


def test_one_score_with_labels_minus_one_and_one_is_certified():
    net = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[3.0, -4.0]]))
    x, y = torch.tensor([[5.0, 0.0], [5.0, 0.0]]), torch.tensor([1.0, -1.0])
    certify = Certifier(net, x, norm="l2")
    assert certify.margins(x, y, 1.0).tolist() == pytest.approx([10.0, -20.0], rel=1e-5)
    assert certify.radius(x, y, most=9.0, halvings=20).tolist() == pytest.approx(
        [3.0, 0.0], rel=0.02
    )


def test_the_module_comes_back_as_it_was_and_its_training_changes_no_bound():
    net, x, y = ready("batch norm")
    net.train()
    before = {k: v.clone() for k, v in net.state_dict().items()}
    certify = Certifier(net, x)
    assert net.training and all(torch.equal(v, before[k]) for k, v in net.state_dict().items())
    first = certify.margins(x, y, 0.01)
    with torch.no_grad():
        net[1].weight.zero_()
    assert torch.equal(certify.margins(x, y, 0.01), first)


def test_hooks_and_parametrisations_are_part_of_what_is_bounded():
    first = nn.utils.parametrizations.weight_norm(nn.Linear(3, 4))
    net = nn.Sequential(first, nn.ReLU(), nn.Linear(4, 2))
    net[0].register_forward_hook(lambda m, i, o: 2 * o)
    x = torch.rand(5, 3)
    low, high = Certifier(net, x).bounds(x, 0.0)
    assert torch.allclose(low, net(x), atol=1e-5) and torch.allclose(high, net(x), atol=1e-5)


@pytest.mark.parametrize(
    "rule, said",
    [
        (lambda m, x: m.net(x.sort(1).values), "'sort'"),
        (lambda m, x: m.net(x - x.mean(0)), "mixes the samples"),
        (lambda m, x: m.net(x.softmax(0)), "mixes the samples"),
        (lambda m, x: m.net(F.dropout(x, 0.5, training=True)), "random"),
        (lambda m, x: m.net(x.transpose(0, 1)), "mixes the samples"),
        (lambda m, x: m.net(x) if x.sum() > 0 else -m.net(x), "branch"),
        (lambda m, x: (m.net(x), x), "one tensor"),
        (lambda m, x: m.net(torch.ones_like(x)), "depend on the input"),
        (lambda m, x: m.net(x / x.norm(dim=1, keepdim=True)), "'linalg_vector_norm'"),
    ],
)
def test_what_cannot_be_bounded_is_named_in_one_sentence(rule, said):
    torch.manual_seed(0)
    net = Calls(rule, net=nn.Linear(2, 2))
    with pytest.raises(NotApplicableError) as error:
        Certifier(net, torch.rand(2, 2))
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_layer_is_named_by_its_path():
    class Sorted(nn.Module):
        def forward(self, x):
            return x.sort(1).values

    with pytest.raises(NotApplicableError, match=r"'sort' in '1'"):
        Certifier(nn.Sequential(nn.Linear(2, 3), Sorted()), torch.rand(1, 2))


def test_misuse_is_refused():
    net, x = nn.Linear(2, 2), torch.rand(3, 2)
    y = torch.zeros(3, dtype=torch.int64)
    with pytest.raises(InputError, match="linf' or 'l2"):
        Certifier(net, x, norm="l1").margins(x, y, 0.1)
    with pytest.raises(InputError, match="outside the box"):
        Certifier(net, x, box=(0.0, 0.1)).margins(x, y, 0.1)
    with pytest.raises(InputError, match="radii"):
        Certifier(net, x).margins(x, y, -0.1)
    with pytest.raises(InputError, match="real numbers"):
        Certifier(net, y)


def test_the_radius_of_a_linear_model_is_its_margin_over_the_dual_norm_at_any_scale():
    w = torch.tensor([[0.0, 0.0], [3.0, -4.0]], dtype=torch.float64)
    net = nn.Linear(2, 2, bias=False).double()
    net.weight.data.copy_(w)
    x = torch.tensor([[0.01, 0.0], [1.0, 0.0], [1e4, 0.0], [-1.0, 0.0]], dtype=torch.float64)
    y = torch.tensor([1, 1, 1, 1])
    for norm, dual in (("linf", 7.0), ("l2", 5.0)):
        true = (3 * x[:, 0] / dual).clamp_min(0)
        found = certified_radius(net, x, y, norm=norm)
        assert bool((found <= true).all())
        assert torch.allclose(found, true, rtol=0.02)  # bisection ends within 1 %
    assert certified_radius(net, x, y, most=0.1).max() == 0.1
