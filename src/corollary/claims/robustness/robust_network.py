r"""A network robust to perturbations of the same order as the inputs.

Points :math:`x_1,\dots,x_m` of length :math:`\sqrt d` with :math:`|\langle x_i,x_j\rangle|\le cd`,
c < 1, have a two-layer ReLU network of width m with :math:`f(x_i)=y_i`

.. math:: f(x)=\sum_jy_j\Bigl(\frac{2\langle x_j,x\rangle}{d(1-c)}-\frac{1+c}{1-c}\Bigr)_+,

whose sign at :math:`x_i` no perturbation shorter than :math:`\frac{1-c}2\sqrt d` changes, and the
perturbation :math:`-\frac{1-c}2x_i` of exactly this length makes it 0. Measured: the shortest
perturbation by which the score of a point is lost, over the straight way back and projected ascent
at many radii.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.2, Theorem 75; Vardi, Yehudai and
    Shamir (2022), "Gradient methods provably converge to non-robust networks", Theorem 3.1.
:kind: construction
:uses: cauchy_schwarz
:covers: robust-network-construction
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_least, near, option
from corollary.core.picture import Level, Marks, Points, picture
from corollary.models.random_two_layer import on_sphere
from corollary.models.robust_two_layer import RobustTwoLayer, correlation, unchecked_network
from corollary.theory.robustness.gradient_attacks import PGD

SHARES = (0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 1.01, 1.05, 1.1, 1.2, 1.4, 1.7, 2.0)  # of the radius


class Given(NamedTuple):
    x: Float[Tensor, "m d"]
    y: Float[Tensor, " m"]
    c: float  # the correlation that the network is built for

    @property
    def radius(self) -> float:
        """What the construction promises."""
        return (1 - self.c) / 2 * math.sqrt(self.x.shape[1])

    def network(self) -> RobustTwoLayer:
        """The construction."""
        return unchecked_network(self.x, self.y, self.c)


def near_points(given: Given) -> Given:
    """Two points are close and have opposite labels, and c is smaller than their correlation."""
    x, y, c = given
    near = x[0] + 0.3 * x[1]
    moved = near * (x.shape[1] ** 0.5 / near.norm())
    return Given(torch.cat([x[:1], moved[None], x[2:]]), torch.cat([y[:1], -y[:1], y[2:]]), c)


class RobustNetwork(Claim[Given]):
    m: int = option(30, low=2, high=200)  # points
    d: int = option(200, low=4, high=2000)  # dimension

    relation = at_least(ulps=2**24)  # the switch is found by bisection, to 1e-9 of the radius
    supposes = (
        Suppose(
            "the points have length √d",
            lambda g: near(g.x.norm(dim=1), g.x.shape[1] ** 0.5),
            "If the points have half the length, no unit is active on them.",
            x=lambda g: g.x / 2,
        ),
        Suppose(
            "all correlations are at most c",
            lambda g: g.c + 1e-12 - correlation(g.x),
            without=near_points,
        ),
    )
    symbols = "(1−c)/2 √d", "shortest perturbation that loses a sign"

    def given(self, rng: Generator) -> Given:
        x = on_sphere(self.m, self.d, rng=rng)
        y = 2.0 * torch.randint(2, (self.m,), generator=rng).double() - 1
        return Given(x, y, correlation(x))

    def predict(self, given: Given) -> float:
        return given.radius

    def measure(self, given: Given) -> Kept:
        def lost(eps: float) -> float:
            attack = PGD(eps, steps=12, norm="l2", start="zero", box=None)
            return 1 - attack(given.network(), given.x, given.y).robust_accuracy

        radii = [share * given.radius for share in SHARES]
        shares = [lost(r) for r in radii]
        found = [r for r, share in zip(radii, shares, strict=True) if share > 0]
        return Kept(min([_way_back(given), *found]), radii=radii, shares=shares)

    @picture(
        "No attack succeeds within the certified radius",
        x="‖δ‖",
        y="share of points whose sign is lost",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Points(trial.kept.radii, trial.kept.shares, label="projected ascent, ℓ2")
        for t in trial.without:
            yield Points(t.kept.radii, t.kept.shares, label=t.words, role="other")
        yield Level(trial.given.radius, label=self.symbols[0], axis="x")


def _way_back(given: Given) -> float:
    """Least distance along -x_i at which the score of a point is gone, by bisection."""
    net, length = given.network(), given.x.norm(dim=1)
    low, high = torch.zeros_like(length), length.clone()
    for _ in range(50):
        middle = (low + high) / 2
        kept = given.y * net(given.x * (1 - middle / length)[:, None]) > 0
        low, high = torch.where(kept, middle, low), torch.where(kept, high, middle)
    return float(high.min())
