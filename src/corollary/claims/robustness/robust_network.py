r"""A network robust up to the order of the data.

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
:cost: instant
:covers: robust-network-construction
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_least, option
from corollary.models.random_two_layer import on_sphere
from corollary.models.robust_two_layer import RobustTwoLayer, correlation, unchecked_network
from corollary.theory.robustness.gradient_attacks import PGD

_SHARES = (
    0.3,
    0.5,
    0.7,
    0.8,
    0.9,
    0.95,
    0.99,
    1.01,
    1.05,
    1.1,
    1.2,
    1.4,
    1.7,
    2.0,
)  # of the radius


class Given(NamedTuple):
    """Points, labels, and the correlation that the network is built for."""

    x: Float[Tensor, "m d"]
    y: Float[Tensor, " m"]
    c: float

    @property
    def radius(self) -> float:
        """What the construction promises."""
        return (1 - self.c) / 2 * self.x.shape[1] ** 0.5

    def network(self) -> RobustTwoLayer:
        """The construction."""
        return unchecked_network(self.x, self.y, self.c)


class RobustNetwork(Claim[Given]):
    m: int = option(30, low=2, high=200)  # points
    d: int = option(200, low=4, high=2000)  # dimension
    relation = at_least(ulps=2**24)  # the switch is found by bisection, to 1e-9 of the radius

    def given(self, rng: Generator) -> Given:
        """Random points of the sphere with random labels, c as large as it occurs."""
        x = on_sphere(self.m, self.d, rng=rng)
        y = 2.0 * torch.randint(2, (self.m,), generator=rng).double() - 1
        return Given(x, y, correlation(x))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Lengths and correlations."""
        d, found = given.x.shape[1], correlation(given.x)
        long = torch.allclose(given.x.norm(dim=1), given.x.new_tensor(d**0.5))
        yield Hypothesis("the points have length √d", long)
        fits = found <= given.c + 1e-12
        yield Hypothesis("all correlations are at most c", fits, f"{found:.3g} and {given.c:.3g}")

    def predict(self, given: Given) -> float:
        """The certified radius."""
        return given.radius

    def measure(self, given: Given) -> float:
        """The shortest perturbation found over all points."""
        return min(float(_way_back(given).min()), _by_ascent(given))

    def counterexample(self, rng: Generator) -> Given:
        """Two near points with opposite labels, and a c that ignores them."""
        x, y, c = self.given(rng)
        near = x[0] + 0.3 * x[1]
        x[1] = near * (self.d**0.5 / near.norm())
        y[1] = -y[0]
        return Given(x, y, c)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The score on the way back to the origin, and how many points fall at each radius."""
        share = torch.linspace(0, 1.5, 61, dtype=torch.float64)
        net, r = given.network(), given.radius
        unit = given.x[0] / given.x[0].norm()
        with torch.no_grad():
            along = given.y[0] * net(given.x[0] - r * share[:, None] * unit)
        way = Figure(
            "The score of a point on the way back to 0",
            x="‖δ‖",
            y="y f(x+δ)",
            marks=(
                Curve(along, r * share, label="along −x"),
                Level(r, label="(1−c)/2 √d", axis="x"),
            ),
        )
        fallen = [_fooled(given, s * r) for s in _SHARES]
        shares = [s * r for s in _SHARES]
        attack = Figure(
            "No attack succeeds within the certified radius",
            x="‖δ‖",
            y="share of points whose sign is lost",
            marks=(
                Points(shares, fallen, label="projected ascent, ℓ2"),
                Level(r, label="(1−c)/2 √d", axis="x"),
            ),
        )
        return way, attack


def _way_back(given: Given) -> Float[Tensor, " m"]:
    """Distance along -x_i at which the score of each point is gone, by bisection."""
    net, length = given.network(), given.x.norm(dim=1)
    unit = given.x / length[:, None]
    low, high = torch.zeros_like(length), length.clone()
    with torch.no_grad():
        for _ in range(50):
            middle = (low + high) / 2
            kept = given.y * net(given.x - middle[:, None] * unit) > 0
            low, high = torch.where(kept, middle, low), torch.where(kept, high, middle)
    return high


def _by_ascent(given: Given) -> float:
    """The smallest of some radii at which projected ascent changes a sign."""
    found = (s * given.radius for s in _SHARES if _fooled(given, s * given.radius) > 0)
    return next(found, float("inf"))


def _fooled(given: Given, eps: float) -> float:
    attack = PGD(eps, steps=12, norm="l2", start="zero", box=None)
    return 1 - attack(given.network(), given.x, given.y).robust_accuracy
