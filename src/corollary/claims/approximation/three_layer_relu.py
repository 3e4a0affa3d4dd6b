r"""ReLU networks with three layers approximate in the L1 norm.

If :math:`|g(x)-g(x')|\le\epsilon` whenever :math:`\|x-x'\|_\infty\le\delta`, the sum of ReLU bumps
:math:`f=\sum_i\alpha_ig_{i,\gamma}` over the :math:`N=\lceil1/\delta\rceil^d` cubes of a partition
of :math:`[0,1]^d`, with ramps so narrow that they cost at most :math:`\epsilon`, has

.. math:: \int_{[0,1]^d}|f-g|\,dx\le2\epsilon\qquad\text{with }N(4d+1)\text{ units.}

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 16; Telgarsky (2021),
    Deep learning theory lecture notes.
:kind: theorem
:uses: piecewise_constant, relu_box
:covers: three-layer-relu-approximation
:erratum: [loose] Theorem 16 speaks of Omega(delta^{-d}) activations, the symbol of a lower bound,
    for a count that the construction bounds from above: (4d+1) ceil(1/delta)^d units suffice. The
    norm of the hypothesis must be the sup norm.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, at_most, generator, option
from corollary.core.picture import Curve, Marks, picture
from corollary.data.waves import random_wave
from corollary.models.approximators.relu_boxes import relu_three_layer
from corollary.theory.approximation.distance import quadrature_between
from corollary.theory.approximation.grids import modulus_of_continuity


class Given(NamedTuple):
    g: Callable[[Tensor], Tensor]  # target
    eps: float  # of its modulus of continuity
    delta: float


def room(self: "ThreeLayerRelu", given: Given) -> float:
    """How much less than eps the target moves on pairs of points."""
    rng = generator(0, "pairs")
    return given.eps * (1 + 1e-9) - modulus_of_continuity(given.g, given.delta, self.d, rng=rng)


class ThreeLayerRelu(Claim[Given]):
    d: int = option(2, low=1, high=3)  # dimension
    rho: float = option(5.0, low=0.1, high=10.0)  # Lipschitz constant in the sup norm
    boxes: int = option(144, low=4, high=200)  # largest number of boxes in the partition

    relation = at_most(ulps=64)  # a Gauss rule with panels between all kinks of f
    supposes = Suppose(
        "g changes by at most ε within sup distance δ",
        room,
        "The target is thirty times as steep as the cells assume.",
        g=lambda self, rng: random_wave(self.d, 30 * self.rho, rng=rng),
    )
    symbols = "2ε", "∫ |f − g|"

    def given(self, rng: Generator) -> Given:
        side = 1 / math.floor(self.boxes ** (1 / self.d) + 1e-9)
        return Given(random_wave(self.d, self.rho, rng=rng), self.rho * side, side)

    def predict(self, given: Given) -> float:
        return 2 * given.eps

    def measure(self, given: Given) -> Kept:
        net, n = relu_three_layer(given.g, given.eps, given.delta, self.d), round(1 / given.delta)
        knots = {k / n + s * net.gamma for k in range(n + 1) for s in (-1, 0, 1)}
        inside = sorted({min(max(k, 0.0), 1.0) for k in knots})
        x, w = quadrature_between([inside] * self.d, nodes=2)
        return Kept(float((net(x).detach() - given.g(x)).abs() @ w), net=net)

    def tight(self) -> Given:
        """A constant with a spike in the middle of each cell, where it is read."""
        n = 4

        def g(x: Tensor) -> Tensor:
            away = ((n * x) % 1 - 0.5).abs().amax(1)
            return 1 + 0.2 * (1 - 1e3 * away).clamp(min=0)

        return Given(g, 0.2, 1 / n)

    @picture("ReLU units in {d} dimensions", x="t, at the point (t, …, t)", y="g, f")
    def marks(self, trial: Trial[Given]) -> Marks:
        t = torch.linspace(0, 1, 601, dtype=torch.float64)
        x, net = t[:, None].repeat(1, self.d), trial.kept.net
        yield Curve(trial.given.g(x), t, label="g", role="predicted")
        yield Curve(net(x).detach(), t, label=f"f, {net.units} units")
