r"""Certified margins: intervals and linear bounds.

Let a classifier be made of affine layers and functions applied to each entry. Carry an interval for
every entry from layer to layer (IBP), or carry a linear form of the margin back through lines below
and above each function (CROWN), over the ball
:math:`\|x'-x\|_\infty\le\epsilon`. Both are sound, and if every interval keeps the better of the
two,

.. math:: m_{\mathrm{IBP}}\ \le\ m_{\mathrm{CROWN}}\ \le\ \min_{\|x'-x\|_\infty\le\epsilon}
   \bigl(f_y(x')-\max_{j\ne y}f_j(x')\bigr).

Predicted: both bounds at growing radii. Measured: the bound above them, that is CROWN's for the
first half and the smallest margin that an attack finds for the second.

:source: Zhang, Weng, Chen, Hsieh and Daniel (2018), "Efficient neural network robustness
    certification with general activation functions", Theorem 3.2; Gowal et al. (2018), "On the
    effectiveness of interval bound propagation for training verifiably robust models"; Lucchi
    (2025), Foundations of Deep Learning, Section 12.1, for the margin that is attacked.
:kind: bound
:cost: seconds
:covers: adversarial-example-problem
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, at_least, option
from corollary.theory.robustness.certificates.backward import lowest
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.elision import differences
from corollary.theory.robustness.certificates.region import Region
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import margins

SIGMA = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}


class Given(NamedTuple):
    """A network, one input with its class, radii, and the radii that its intervals are made for."""

    net: nn.Module
    certifier: Certifier
    x: Float[Tensor, "1 d"]
    y: Int[Tensor, " 1"]
    eps: list[float]
    known: list[float]
    seed: int


class CrownAndIntervals(Claim[Given]):
    d: int = option(16, low=2, high=200)  # input dimension
    m: int = option(32, low=2, high=300)  # width of the hidden layers
    L: int = option(2, low=1, high=6)  # hidden layers
    sigma: Literal["relu", "tanh", "gelu"] = "relu"  # function of the hidden layers
    radii: int = option(5, low=2, high=20)  # how many radii, up to that of the attack
    relation = at_least(ulps=2**20, scale=1.0)  # sums of some hundred terms of size 1 a layer

    def given(self, rng: Generator) -> Given:
        """Normal weights of the size that keeps signals, and a normal input."""
        net = self._network(rng)
        x = torch.randn(1, self.d, generator=rng, dtype=torch.float64)
        y = net(x).argmax(1)
        seed = int(torch.randint(2**31, (), generator=rng))
        certifier = Certifier(net, x)
        # up to where CROWN still proves a good part of the margin
        reach = 0.6 * float(certifier.radius(x, y, "crown", most=1.0))
        eps = [reach * (k + 1) / self.radii for k in range(self.radii)]
        return Given(net, certifier, x, y, eps, eps, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The intervals are those of the whole ball."""
        wide = all(k >= e for k, e in zip(given.known, given.eps, strict=True))
        yield Hypothesis(
            "the intervals hold all values that the layers take on the ball",
            wide,
            f"made for radius {given.known[-1]:.3g} of {given.eps[-1]:.3g}",
        )

    def predict(self, given: Given) -> list[float]:
        """IBP, then CROWN, at every radius."""
        return self._bounds(given, "ibp") + self._bounds(given, "crown")

    def measure(self, given: Given) -> list[float]:
        """CROWN, then the worst margin found, at every radius."""
        return self._bounds(given, "crown") + self._attacked(given)

    def counterexample(self, rng: Generator) -> Given:
        """Units that wake up just outside of intervals that are too narrow, and take the margin."""
        x = torch.randn(1, self.d, generator=rng, dtype=torch.float64)
        first, last = _empty(self.d, self.m), _empty(self.m, 3)
        with torch.no_grad():
            w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
            first.weight.copy_(w)
            first.bias.copy_(-(w @ x[0]) - 0.1)  # asleep at x
            last.weight.zero_()
            last.weight[1].fill_(1.0)
            last.bias.copy_(torch.tensor([1.0, 0.0, 0.0]))
        net = nn.Sequential(first, nn.ReLU(), last).requires_grad_(False)
        eps = [(k + 1) / self.radii for k in range(self.radii)]
        known = [1e-3 / self.d] * self.radii
        return Given(net, Certifier(net, x), x, torch.tensor([0]), eps, known, 0)

    def figure(self, given: Given) -> Figure:
        """All bounds over the radius."""
        fine = [given.eps[-1] * (k + 1) / 12 for k in range(12)]
        drawn = given._replace(eps=fine, known=fine)
        marks = [Curve(self._attacked(drawn), fine, label="worst margin found by an attack")]
        marks += [
            Curve(self._bounds(drawn, method), fine, label=label, role="predicted", dashed=dashed)
            for method, label, dashed in (
                ("crown", "CROWN", False), ("crown-ibp", "CROWN-IBP", True), ("ibp", "IBP", True),
            )
        ]  # fmt: skip
        return Figure(
            "What is proved of the margin, and what is found",
            x="ε",
            y="smallest margin within ε",
            marks=tuple(marks),
        )

    def _network(self, rng: Generator) -> nn.Module:
        widths = [self.d, *[self.m] * self.L, 3]
        layers: list[nn.Module] = []
        for a, b in zip(widths, widths[1:], strict=False):
            layer = _empty(a, b)
            with torch.no_grad():
                layer.weight.copy_(torch.randn(b, a, generator=rng, dtype=torch.float64))
                layer.weight.mul_((2 / a) ** 0.5)
                layer.bias.copy_(0.1 * torch.randn(b, generator=rng, dtype=torch.float64))
            layers += [layer, SIGMA[self.sigma]()]
        return nn.Sequential(*layers[:-1]).requires_grad_(False)

    def _bounds(self, given: Given, method: Literal["ibp", "crown-ibp", "crown"]) -> list[float]:
        """At all radii at once."""
        certifier, end = given.certifier, given.certifier.tape.output
        x, y = self._copies(given)
        if given.eps == given.known:
            return certifier.margins(x, y, torch.tensor(given.eps).double(), method).tolist()
        narrow, wide = (
            Region(x, torch.tensor(radii).double(), "linf") for radii in (given.known, given.eps)
        )
        values = certifier.intervals(narrow, method)
        rows = differences(given.net(x), y)
        found = lowest(certifier.steps, values, end, rows, wide)
        return found.view(len(x), -1).amin(1).tolist()

    def _attacked(self, given: Given) -> list[float]:
        """At all radii at once: each copy of the input has a unit ball of its own."""
        x, y = self._copies(given)
        eps = torch.tensor(given.eps).double()[:, None]
        attack = PGD(1.0, steps=20, box=None, keep="best", objective="margin", restarts=2)
        rng = torch.Generator().manual_seed(given.seed)

        def scores(delta: Tensor) -> Tensor:
            return given.net(x + eps * delta)

        found = attack.inputs(scores, torch.zeros_like(x), y, rng=rng)
        return margins(scores(found), y).tolist()

    def _copies(self, given: Given) -> tuple[Tensor, Tensor]:
        n = len(given.eps)
        return given.x.expand(n, -1), given.y.expand(n)


def _empty(a: int, b: int) -> nn.Linear:
    """A layer to be filled; nothing is drawn."""
    return nn.utils.skip_init(nn.Linear, a, b, dtype=torch.float64)
