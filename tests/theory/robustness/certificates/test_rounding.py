"""Bounds against exact rational arithmetic, and against rounded networks in other orders."""

from fractions import Fraction

import pytest
import torch
from torch import Tensor, nn

from corollary.errors import InputError, NotApplicableError
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.rounding import gamma

METHODS = ("ibp", "crown-ibp", "crown")


def exact_outputs(net: nn.Sequential, x: Tensor) -> list[Fraction]:
    """A chain of linear layers and ReLUs in rational numbers."""
    values = [Fraction(v) for v in x.tolist()]
    for layer in net:
        if isinstance(layer, nn.ReLU):
            values = [max(v, Fraction(0)) for v in values]
            continue
        w, b = layer.weight.tolist(), layer.bias.tolist()
        values = [
            sum((Fraction(p) * v for p, v in zip(row, values, strict=True)), Fraction(c))
            for row, c in zip(w, b, strict=True)
        ]
    return values


def exact_margin(net: nn.Sequential, x: Tensor, y: int) -> Fraction:
    out = exact_outputs(net, x)
    return out[y] - max(v for j, v in enumerate(out) if j != y)


def plain_margin(net: nn.Sequential, x: Tensor, y: int, eps: float) -> float:
    """Interval bounds in float32 as one writes them down, with no thought of rounding."""
    middle, radius = x.clone(), torch.full_like(x, eps)
    with torch.no_grad():
        for layer in net:
            if isinstance(layer, nn.ReLU):
                low, high = (middle - radius).relu(), (middle + radius).relu()
                middle, radius = (low + high) / 2, (high - low) / 2
            else:
                middle, radius = layer(middle), layer.weight.abs() @ radius
    low, high = middle - radius, middle + radius
    return float(low[y] - max(high[j] for j in range(len(high)) if j != y))


def cancelling() -> tuple[nn.Sequential, Tensor]:
    """Real numbers give -1 for class 0; sums in float32 lose the 1 beside 2^25, and give 0."""
    first, last = nn.Linear(3, 3), nn.Linear(3, 2)
    with torch.no_grad():
        first.weight.copy_(torch.eye(3))
        first.bias.zero_()
        last.weight.copy_(torch.tensor([[2.0**25, -1.0, -(2.0**25)], [0.0, 0.0, 0.0]]))
        last.bias.copy_(torch.tensor([0.0, -0.5]))
    return nn.Sequential(first, nn.ReLU(), last), torch.ones(3)


def test_plain_bounds_certify_a_wrong_answer_and_ours_do_not():
    net, x = cancelling()
    assert exact_margin(net, x, 0) == Fraction(-1, 2)  # class 1 is ahead
    assert plain_margin(net, x, 0, 0.0) > 0  # and class 0 is "certified"
    certify = Certifier(net, x[None])
    for method in METHODS:
        assert float(certify.margins(x[None], torch.tensor([0]), 0.0, method)) <= -0.5
    assert float(certify.radius(x[None], torch.tensor([0]), most=1.0)) == 0


def test_a_wider_number_type_decides_what_a_narrow_one_cannot():
    net, x = cancelling()
    x = x.double()[None]
    certify = Certifier(net.double(), x)
    found = certify.margins(x, torch.tensor([1]), 1e-9, "crown")
    assert 0.3 < float(found) <= 0.5


def drawn(seed: int, size: float) -> tuple[nn.Sequential, Tensor]:
    """Weights of many sizes, so that much cancels."""
    rng = torch.Generator().manual_seed(seed)
    layers: list[nn.Module] = []
    for a, b in ((4, 6), (6, 5), (5, 3)):
        layer = nn.Linear(a, b)
        with torch.no_grad():
            scale = size ** (2 * torch.rand(b, a, generator=rng) - 1)
            layer.weight.copy_(scale * torch.randn(b, a, generator=rng))
            layer.bias.copy_(size * torch.randn(b, generator=rng))
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1]), torch.randn(6, 4, generator=rng)


@pytest.mark.parametrize("size", [1.0, 1e2, 1e4])
def test_no_exact_margin_in_the_ball_is_below_a_bound(size):
    below_plain = 0
    for seed in range(8):
        net, x = drawn(seed, size)
        rng = torch.Generator().manual_seed(seed)
        y = net(x).argmax(1)
        certify = Certifier(net, x)
        for eps in (0.0, 2.0**-20, 2.0**-6):
            bounds = [certify.margins(x, y, eps, method) for method in METHODS]
            corners = x + eps * (torch.rand(x.shape, generator=rng) - 0.5).sign()
            inside = [p for p in (x, corners) if bool(((p - x).abs() <= eps).all())]
            for p in inside:
                for i in range(len(x)):
                    true = exact_margin(net, p[i], int(y[i]))
                    assert all(Fraction(float(b[i])) <= true for b in bounds)
                    below_plain += Fraction(plain_margin(net, p[i], int(y[i]), 0.0)) > true
    assert below_plain > 0  # without paying, many bounds would be wrong


def reordered(net: nn.Sequential, x: Tensor, rng: torch.Generator) -> Tensor:
    """The network in float32, with every sum in an order drawn at random, term by term."""
    values = x
    for layer in net:
        if isinstance(layer, nn.ReLU):
            values = values.relu()
            continue
        terms = torch.cat(
            [values[:, None] * layer.weight, layer.bias.expand(len(x), -1)[..., None]], 2
        )
        order = torch.randperm(terms.shape[2], generator=rng)
        total = torch.zeros_like(terms[..., 0])
        for k in order.tolist():
            total = total + terms[..., k]
        values = total
    return values


def test_bounds_hold_for_rounded_networks_in_any_order_of_summation():
    rng = torch.Generator().manual_seed(0)
    spread = 0.0
    for seed in range(6):
        net, x = drawn(seed, 100.0)
        certify = Certifier(net, x)
        low, high = certify.bounds(x, 0.0, "crown")
        with torch.no_grad():
            found = torch.stack([reordered(net, x, rng) for _ in range(40)])
        assert bool((found >= low).all()) and bool((found <= high).all())
        used = (found.amax(0) - found.amin(0)) / (high - low)
        spread = max(spread, float(used.max()))
    assert spread > 0.01  # the worst case is not far beyond what happens


def test_sums_of_too_few_digits_are_refused():
    with pytest.raises(NotApplicableError, match="too few digits"):
        gamma(2**22, torch.float32)
    with pytest.raises(InputError, match="float32"):
        Certifier(nn.Linear(2, 2).bfloat16(), torch.zeros(1, 2, dtype=torch.bfloat16))
