r"""The depth that would make most pieces.

For m units in L layers the bound :math:`(2m/L)^L` on the number of affine pieces is largest at

.. math:: L = \frac{2m}{e}, \qquad \max_L \Big(\frac{2m}{L}\Big)^L = e^{2m/e},

and among whole numbers at one of the two next to it. A layer then has :math:`m/L = e/2 \approx
1.36` units: a network so thin has far fewer pieces, and is hard to train.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.4, Problem 3d.
:kind: identity
:cost: instant
:covers: affine-pieces-optimal-depth
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.theory.expressivity.bounds import log_pieces, optimal_depth


class Given(NamedTuple):
    """Units, and the largest depth that is allowed."""

    m: int
    deepest: float


@dataclass(frozen=True)
class OptimalDepth(Claim[Given]):
    """The formula against a search over real and whole depths."""

    m: int = option(40, low=2, high=10_000)  # units
    relation = equals(ulps=2.0**28)  # a smooth maximum is located to the root of the precision

    def given(self, rng: Generator) -> Given:
        """Any depth up to one unit a layer and beyond."""
        return Given(self.m, 2.0 * self.m)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The optimum is in reach."""
        yield Hypothesis("the depth may reach 2m/e", given.deepest >= 2 * given.m / math.e)

    def predict(self, given: Given) -> list[float]:
        """Depth, logarithm of the pieces there, and the best whole depth."""
        real, whole = optimal_depth(given.m)
        return [real, 2 * given.m / math.e, float(whole)]

    def measure(self, given: Given) -> list[float]:
        """The same by search, without derivatives."""
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            lambda L: -log_pieces(given.m, L), bounds=(1e-3, given.deepest), method="bounded",
            options={"xatol": 1e-10 * given.m},
        )  # fmt: skip
        whole = max(range(1, int(given.deepest) + 1), key=lambda L: log_pieces(given.m, L))
        return [float(found.x), -float(found.fun), float(whole)]

    def counterexample(self, rng: Generator) -> Given:
        """At least two units a layer: the best depth is the deepest, m/2."""
        return Given(self.m, max(1.0, self.m / 2))

    def figure(self, given: Given) -> Figure:
        """The logarithm of the bound over the depth."""
        m = given.m
        depths = [2 * m * (k + 1) / 200 for k in range(200)]
        _, whole = optimal_depth(m)
        return Figure(
            "Pieces allowed to m units in L layers",
            x="L",
            y="L log(2m/L)",
            marks=(
                Curve([log_pieces(m, L) for L in depths], depths, "bound, logarithm"),
                Level(2 * m / math.e, "2m/e, the best depth", axis="x"),
                Level(2 * m / math.e, "2m/e, the largest logarithm"),
                Points([whole], [log_pieces(m, whole)], f"best whole depth, {whole}"),
                Level(m / 2, "two units a layer", role="other", axis="x"),
            ),
        )
