r"""Two hidden layers compute a radial target.

The target :math:`g(x) = \psi(\|x\|)` flips its sign at the radii :math:`b_1, \dots, b_c`. A network
with nK rectifiers for the squared norm and 2c for the profile is equal to g wherever
:math:`\|x\|^2` is further than :math:`w = \delta/2 + nh^2/8`, :math:`h = 2R/K`, from every
:math:`b_i^2`, so

.. math:: \mathbb E\,(f(x) - g(x))^2 \le 4\,P\big( \exists i: |\|x\|^2 - b_i^2| \le w \big) .

With K of the order :math:`\sqrt n` the bound is the same in every dimension: the width
:math:`nK + 2c` is polynomial in n.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.2 and Theorem 33; Eldan and Shamir
    (2016), "The power of depth for feedforward neural networks".
:kind: construction
:cost: instant
:covers: eldan-shamir, radial-shell-target
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, option
from corollary.data.radial_shells import RadialShells, radial_points, radial_shells
from corollary.models.radial import RadialNetwork, radial_error_bound


class Given(NamedTuple):
    """The target, a network and points for each dimension."""

    target: RadialShells
    networks: tuple[RadialNetwork, ...]
    points: tuple[Tensor, ...]


@dataclass(frozen=True)
class RadialNetworkError(Claim[Given]):
    """Mean squared error of the written network on drawn points, in growing dimensions."""

    N: int = option(6, low=2, high=40)  # shells
    dimensions: tuple[int, ...] = option((2, 4, 8, 16), low=1, high=64)  # values of n
    bends: int = option(20, low=2, high=200)  # K over the root of n
    delta: float = option(0.004, low=1e-6, high=0.1)  # width of a ramp in squared norm
    draws: int = option(4000, low=10, high=100_000)  # points in each dimension
    relation = at_most(level=0.99)  # the interval of the mean has to lie below the bound

    def given(self, rng: Generator) -> Given:
        """Alternating signs; norms uniform in [0, 1]."""
        target = radial_shells(self.N, 1.0, alternate=True, rng=rng)
        nets = tuple(
            RadialNetwork(target, n, ceil(self.bends * n**0.5), self.delta) for n in self.dimensions
        )
        points = tuple(radial_points(self.draws, n, rng=rng) for n in self.dimensions)
        return Given(target, nets, points)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Where the squares are interpolated, and ramps that do not meet."""
        far = max(float(x.norm(dim=1).max()) for x in given.points)
        inside = far <= given.target.R
        yield Hypothesis("the points lie in the ball of the target", inside, f"norm {far:.3g}")
        gap = float((given.target.flips**2).diff().min()) if given.target.changes > 1 else 1.0
        yield Hypothesis("the ramps do not meet", given.networks[0].delta < gap)

    def predict(self, given: Given) -> list[float]:
        """Probability of a point near a flip, times four."""
        return [radial_error_bound(net, given.target) for net in given.networks]

    def measure(self, given: Given) -> list[Sample]:
        """Squared errors at the points."""
        with torch.no_grad():
            return [
                Sample((net(x) - given.target(x)).square().tolist())
                for net, x in zip(given.networks, given.points, strict=True)
            ]

    def counterexample(self, rng: Generator) -> Given:
        """Points up to three times as far out as the network was made for."""
        given = self.given(rng)
        return given._replace(points=tuple(3 * x for x in given.points))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Error against dimension, and a cut through target and network."""
        reads = [s.read(0.99) for s in self.measure(given)]
        value, low, high = ([getattr(r, k) for r in reads] for k in ("value", "low", "high"))
        n = list(self.dimensions)
        error = (
            Curve(self.predict(given), n, "4 P(near a flip)", "predicted"),
            Points(n, value, "mean squared error, 99 %", low=low, high=high),
        )
        z = torch.linspace(0, 1, 400, dtype=torch.float64)
        ray = z[:, None] * torch.ones(n[-1], dtype=torch.float64) / n[-1] ** 0.5
        with torch.no_grad():
            cut = given.networks[-1](ray)
        profile = (
            Curve(given.target.psi(z), z, "ψ", "predicted"),
            Curve(cut, z, f"network on a ray, n = {n[-1]}", dashed=True),
        )
        return (
            Figure("Error of the written network", "n", "E(f - g)²", error, log_x=True),
            Figure("The profile of the shells", "‖x‖", "ψ", profile),
        )
