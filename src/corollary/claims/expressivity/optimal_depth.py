r"""The depth that allows the most affine pieces for m units.

For m units in L layers the bound :math:`(2m/L)^L` on the number of affine pieces is largest at

.. math:: L = \frac{2m}{e}, \qquad \max_L \Big(\frac{2m}{L}\Big)^L = e^{2m/e},

and among whole numbers at one of the two next to it. A layer then has :math:`m/L = e/2 \approx
1.36` units: a network so thin has far fewer pieces, and is hard to train.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.4, Problem 3d.
:kind: identity
:uses: pieces_depth
:covers: affine-pieces-optimal-depth
"""

import math
from typing import NamedTuple

from torch import Generator

from corollary.core import Claim, Curve, Level, Marks, Suppose, Trial, equals, option, picture
from corollary.theory.expressivity.bounds import log_pieces, optimal_depth


class Given(NamedTuple):
    m: int  # units
    deepest: float  # largest depth allowed


class OptimalDepth(Claim[Given]):
    m: int = option(40, low=2, high=10_000)  # units

    relation = equals(ulps=2.0**28)  # a smooth maximum is located to the root of the precision
    supposes = Suppose(
        "the depth can be as large as 2m/e",
        lambda g: g.deepest - 2 * g.m / math.e,
        "If every layer has two units, the deepest network is best.",
        deepest=lambda g: max(1.0, g.m / 2),
    )
    symbols = "2m/e, 2m/e and a neighbour", "found by search"
    rows = ("best depth", "logarithm of the pieces", "best whole depth")

    def given(self, rng: Generator) -> Given:
        return Given(self.m, 2.0 * self.m)

    def predict(self, given: Given) -> list[float]:
        real, whole = optimal_depth(given.m)
        return [real, 2 * given.m / math.e, whole]

    def measure(self, given: Given) -> list[float]:
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            lambda L: -log_pieces(given.m, L),
            bounds=(1e-3, given.deepest),
            method="bounded",
            options={"xatol": 1e-10 * given.m},
        )
        whole = max(range(1, int(given.deepest) + 1), key=lambda L: log_pieces(given.m, L))
        return [found.x, -found.fun, whole]

    @picture("Pieces allowed to m units in L layers", x="L", y="L log(2m/L)")
    def marks(self, trial: Trial[Given]) -> Marks:
        m, best = trial.given.m, trial.predicted[0]
        depths = [2 * m * (k + 1) / 200 for k in range(200)]
        yield Curve([log_pieces(m, L) for L in depths], depths, "bound, logarithm")
        yield Level(best, "2m/e, the best depth", axis="x")
        yield Level(best, "2m/e, the largest logarithm")
        yield Level(m / 2, "two units per layer", role="other", axis="x")
