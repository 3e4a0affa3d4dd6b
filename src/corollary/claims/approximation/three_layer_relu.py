r"""Three ReLU layers approximate in the mean.

If :math:`|g(x)-g(x')|\le\epsilon` whenever :math:`\|x-x'\|_\infty\le\delta`, the sum of ReLU bumps
:math:`f=\sum_i\alpha_ig_{i,\gamma}` over the :math:`N=\lceil1/\delta\rceil^d` cubes of a partition
of :math:`[0,1]^d`, with ramps so narrow that they cost at most :math:`\epsilon`, has

.. math:: \int_{[0,1]^d}|f-g|\,dx\le2\epsilon\qquad\text{with }N(4d+1)\text{ units.}

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.2, Theorem 16; Telgarsky (2021),
    Deep learning theory lecture notes.
:kind: theorem
:cost: instant
:covers: three-layer-relu-approximation
:erratum: [loose] Theorem 16 speaks of Omega(delta^{-d}) activations, the symbol of a lower bound,
    for a count that the construction bounds from above: (4d+1) ceil(1/delta)^d units suffice. The
    norm of the hypothesis must be the sup norm.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, generator, option
from corollary.data.waves import Wave, random_wave
from corollary.models.approximators.relu_boxes import relu_three_layer
from corollary.theory.approximation.distance import quadrature_between
from corollary.theory.approximation.grids import cells, modulus_of_continuity


class Given(NamedTuple):
    """A target, and the pair (eps, delta) of its modulus of continuity."""

    g: Wave
    eps: float
    delta: float


@dataclass(frozen=True)
class ThreeLayerRelu(Claim[Given]):
    """The L1 error of a sum of ReLU bumps."""

    d: int = option(2, low=1, high=3)  # dimension
    rho: float = option(5.0, low=0.1, high=10.0)  # Lipschitz constant in the sup norm
    boxes: int = option(144, low=4, high=200)  # boxes of the partition, at most
    relation = at_most(ulps=64)  # a Gauss rule with panels between all kinks of f

    def given(self, rng: Generator) -> Given:
        """A drawn wave, which moves by at most rho times the side on a cube."""
        side = 1 / math.floor(self.boxes ** (1 / self.d) + 1e-9)
        return Given(random_wave(self.d, self.rho, rng=rng), self.rho * side, side)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The modulus in the sup norm, tested on pairs."""
        d = len(given.g.c)
        moved = modulus_of_continuity(given.g, min(given.delta, 1.0), d, rng=generator(0, "pairs"))
        yield Hypothesis("g moves by at most eps within sup distance delta",
                         moved <= given.eps * (1 + 1e-9), f"moved by {moved:.3g}")  # fmt: skip

    def predict(self, given: Given) -> float:
        """Two eps: one for the cells, one for the ramps."""
        return 2 * given.eps

    def measure(self, given: Given) -> float:
        """The integral of the difference."""
        d = len(given.g.c)
        net = relu_three_layer(given.g, given.eps, given.delta, d)
        n = cells(given.delta)
        knots = sorted(
            {min(max(k / n + s * net.gamma, 0.0), 1.0) for k in range(n + 1) for s in (-1, 0, 1)}
        )
        x, w = quadrature_between([knots] * d, nodes=2)
        return float((net(x).detach() - given.g(x)).abs() @ w)

    def counterexample(self, rng: Generator) -> Given:
        """A target that is thirty times steeper than the cells were made for."""
        return self.given(rng)._replace(g=random_wave(self.d, 30 * self.rho, rng=rng))

    def figure(self, given: Given) -> Figure:
        """Target and network along a diagonal of the cube."""
        d = len(given.g.c)
        net = relu_three_layer(given.g, given.eps, given.delta, d)
        t = torch.linspace(0, 1, 601, dtype=torch.float64)
        x = t[:, None].expand(-1, d).contiguous()
        return Figure(
            f"{net.units} ReLU units in {d} dimensions",
            x="t, at the point (t, …, t)",
            y="g, f",
            marks=(
                Curve(given.g(x), t, label="g", role="predicted"),
                Curve(net(x).detach(), t, label="f"),
            ),
        )
