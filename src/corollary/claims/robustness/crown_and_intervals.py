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

from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Parity, Suppose, Trial, at_least, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.robustness.certificates.backward import lowest
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.elision import differences
from corollary.theory.robustness.certificates.region import Region
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import margins

SIGMA = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}


class Given(NamedTuple):
    net: nn.Module
    certifier: Certifier
    x: Float[Tensor, "r d"]  # one input, a copy for each radius
    y: Int[Tensor, " r"]  # its class
    eps: Float[Tensor, " r"]  # radii
    known: Float[Tensor, " r"]  # the radii that its intervals are made for

    def bounds(self, method: Literal["ibp", "crown"]) -> Tensor:
        """At all radii at once."""
        if torch.equal(self.eps, self.known):
            return self.certifier.margins(self.x, self.y, self.eps, method)
        narrow, wide = (Region(self.x, radii, "linf") for radii in (self.known, self.eps))
        values, end = self.certifier.intervals(narrow, method), self.certifier.tape.output
        rows = differences(self.net(self.x), self.y)
        found = lowest(self.certifier.steps, values, end, rows, wide)
        return found.view(len(self.x), -1).amin(1)


def narrow_intervals(self: "CrownAndIntervals", rng: Generator) -> Given:
    """The intervals are too narrow: units become active just outside and reduce the margin."""
    x, w = normal(rng, 1, self.d), normal(rng, self.m, self.d)
    last = torch.zeros(3, self.m, dtype=torch.float64)
    last[1] = 1.0
    asleep = _layer(w, -(w @ x[0]) - 0.1)
    net = nn.Sequential(asleep, nn.ReLU(), _layer(last, x.new_tensor([1.0, 0.0, 0.0])))
    eps = torch.linspace(1 / self.radii, 1, self.radii, dtype=torch.float64)
    known = torch.full_like(eps, 1e-3 / self.d)
    copies = x.expand(self.radii, -1)
    return Given(net, Certifier(net, x), copies, torch.zeros(self.radii).long(), eps, known)


class CrownAndIntervals(Claim[Given]):
    d: int = option(16, low=2, high=200)  # input dimension
    m: int = option(32, low=2, high=300)  # width of the hidden layers
    L: int = option(2, low=1, high=6)  # hidden layers
    sigma: Literal["relu", "tanh", "gelu"] = "relu"  # function of the hidden layers
    radii: int = option(5, low=2, high=20)  # number of radii, up to the radius of the attack

    relation = at_least(ulps=2**20, scale=1.0)  # sums of some hundred terms of size 1 a layer
    supposes = Suppose(
        "the intervals hold all values that the layers take on the ball",
        lambda g: (bool((g.known >= g.eps).all()), f"{g.known[-1]:.3g} of {g.eps[-1]:.3g}"),
        without=narrow_intervals,
    )
    symbols = "IBP, then CROWN", "CROWN, then the worst margin found"
    shows = Parity("Lower bounds on the margin, each at most the next", without=False)

    def given(self, rng: Generator) -> Given:
        layers: list[nn.Module] = []
        for a, b in pairwise([self.d, *[self.m] * self.L, 3]):
            weight = normal(rng, b, a) * (2 / a) ** 0.5
            layers += [_layer(weight, 0.1 * normal(rng, b)), SIGMA[self.sigma]()]
        net, x = nn.Sequential(*layers[:-1]), normal(rng, 1, self.d)
        y, certifier = net(x).argmax(1), Certifier(net, x)
        # up to where CROWN still proves a good part of the margin
        tried = torch.logspace(-3, 0, 31, dtype=torch.float64)
        proved = certifier.margins(x.expand(31, -1), y.expand(31), tried, "crown") > 0
        reach = 0.6 * float((tried * proved).max())
        eps = reach * torch.linspace(1 / self.radii, 1, self.radii, dtype=torch.float64)
        return Given(net, certifier, x.expand(self.radii, -1), y.expand(self.radii), eps, eps)

    def predict(self, given: Given) -> Tensor:
        return torch.cat([given.bounds("ibp"), given.bounds("crown")])

    def measure(self, given: Given, rng: Generator) -> Tensor:
        attack = PGD(1.0, steps=20, box=None, keep="best", objective="margin", restarts=2)

        def scores(delta: Tensor) -> Tensor:  # each copy of the input has a unit ball of its own
            out: Tensor = given.net(given.x + given.eps[:, None] * delta)
            return out

        found = attack.inputs(scores, torch.zeros_like(given.x), given.y, rng=rng)
        return torch.cat([given.bounds("crown"), margins(scores(found), given.y)])

    @picture(
        "Proved lower bounds, and margins found by attacks",
        x="ε",
        y="smallest margin within ε",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        eps, n = trial.given.eps, self.radii
        yield Curve(trial.measured[n:], eps, label="worst margin found by an attack")
        yield Curve(trial.predicted[n:], eps, label="CROWN", role="predicted")
        yield Curve(trial.predicted[:n], eps, label="IBP", role="predicted", dashed=True)


def _layer(weight: Tensor, bias: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], dtype=torch.float64)
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer.requires_grad_(False)
