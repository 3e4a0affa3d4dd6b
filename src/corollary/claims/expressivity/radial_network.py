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
:uses: linear_interpolation
:covers: eldan-shamir, radial-shell-target
:loose: Near a flip the error is bounded by its largest value 2, and it is smaller on average.
"""

from math import ceil
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, Trial, at_most, option
from corollary.core.picture import Curve, Marks, picture
from corollary.data.radial_shells import RadialShells, radial_points, radial_shells
from corollary.models.radial import RadialNetwork, radial_error_bound


class Given(NamedTuple):
    target: RadialShells
    networks: tuple[RadialNetwork, ...]  # one for each dimension
    points: tuple[Tensor, ...]  # for each dimension


class RadialNetworkError(Claim[Given]):
    N: int = option(6, low=2, high=40)  # shells
    dimensions: tuple[int, ...] = option((2, 4, 8, 16), low=1, high=64)  # values of n
    bends: int = option(20, low=2, high=200)  # K / √n
    delta: float = option(0.004, low=1e-6, high=0.1)  # width of a ramp in squared norm
    draws: int = option(4000, low=10, high=100_000)  # points in each dimension

    relation = at_most(level=0.99)  # the interval of the mean has to lie below the bound
    supposes = (
        Suppose(
            "the points lie in the ball of the target",
            lambda g: all(x.norm(dim=1).max() <= g.target.R for x in g.points),
            "The points are three times as far out, where the squares are not interpolated.",
            points=lambda g: tuple(3 * x for x in g.points),
        ),
        Suppose(
            "the ramps do not overlap",
            lambda g: (g.target.flips**2).diff().min() - g.networks[0].delta,
        ),
    )
    symbols = "4 P(near a flip)", "E(f − g)²"
    rows = "n = {dimensions}"
    shows = Along("Error of the constructed network", x="n", at="dimensions", log="xy")

    def given(self, rng: Generator) -> Given:
        target = radial_shells(self.N, 1.0, alternate=True, rng=rng)
        bends = {n: ceil(self.bends * n**0.5) for n in self.dimensions}
        nets = tuple(RadialNetwork(target, n, K, self.delta) for n, K in bends.items())
        points = tuple(radial_points(self.draws, n, rng=rng) for n in self.dimensions)
        return Given(target, nets, points)

    def predict(self, given: Given) -> list[float]:
        return [radial_error_bound(net, given.target) for net in given.networks]

    def measure(self, given: Given) -> list[Sample]:
        pairs = zip(given.networks, given.points, strict=True)
        return [Sample((net(x) - given.target(x)).square()) for net, x in pairs]

    @picture("The profile of the shells", x="‖x‖", y="ψ")
    def marks(self, trial: Trial[Given]) -> Marks:
        z, n = torch.linspace(0, 1, 400, dtype=torch.float64), self.dimensions[-1]
        cut = trial.given.networks[-1](z[:, None].repeat(1, n) / n**0.5).detach()
        yield Curve(trial.given.target.psi(z), z, "ψ", "predicted")
        yield Curve(cut, z, f"network on a ray, n = {n}", dashed=True)
