r"""The rate of piecewise-linear interpolation depends on the smoothness of the function.

.. math:: \|f-f_m\|_\infty\propto m^{-\min(p,2)}\ \text{ for }x^p\text{ on }[0,1],\ 0<p\ne1,
   \qquad\|f-f_m\|_\infty=\tfrac14m^{-1/2}\ \text{ for }\sqrt x,

with :math:`f_m` linear between m + 1 equispaced nodes. Continuity alone gives convergence at the
speed of the modulus of continuity; a jump gives none.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorem 2.10; de Boor (1978), A practical
    guide to splines, Chapter III.
:kind: rate
:uses: linear_interpolation
:covers: piecewise-linear-density
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Sweep, option, slope, uniform
from corollary.models.approximators.relu_sums import pl_interpolant

SIZES = (8, 16, 32, 64, 128)
EVEN = torch.linspace(0, 1, 8001, dtype=torch.float64)
GRID = torch.cat([torch.logspace(-6, -2, 4001, dtype=torch.float64), EVEN])  # a root is steep at 0


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # on [0, 1]


def largest(given: Given, order: int) -> float:
    """The largest difference of this order on the even grid."""
    return float(given.f(EVEN[:, None]).diff(n=order).abs().max())


class LinearInterpolationRate(Claim[Given]):
    p: float = option(0.5, low=0.2, high=4.0)  # f is a multiple of x^p

    relation = slope(gap=0.05)  # exact powers, up to where the crest falls within a piece
    supposes = (
        Suppose(
            "f is continuous",
            lambda g: 0.3 - largest(g, 1),
            "If f jumps between two nodes, the error does not fall.",
            f=lambda g: lambda x: (x[:, 0] >= 1 / 3).to(x.dtype),
        ),
        Suppose(
            "f is not a straight line",
            lambda g: largest(g, 2) - 1e-12,
            "A straight line has no error.",
            f=lambda g: lambda x: x[:, 0],
        ),
    )
    symbols = "−min(p, 2)", "‖f − fₘ‖∞"
    shows = (
        Over("Sup error of linear interpolation of x^p", x="pieces m"),
        Sweep(
            "The smoother the function, the faster the rate",
            "p",
            (0.25, 0.5, 1.5, 2, 3),
            y="exponent",
            log="",
        ),
    )

    def given(self, rng: Generator) -> Given:
        c = 0.5 + float(uniform(rng, 1))
        return Given(lambda x: c * x[:, 0] ** self.p)

    def predict(self, given: Given) -> float:
        return -min(self.p, 2)

    def measure(self, given: Given) -> Series:
        target = given.f(GRID[:, None])
        errors = [pl_interpolant(given.f, m)(GRID) - target for m in SIZES]
        return Series(SIZES, [float(e.abs().max()) for e in errors])
