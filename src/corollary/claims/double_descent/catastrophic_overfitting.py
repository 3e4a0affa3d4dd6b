r"""Catastrophic overfitting.

The polynomial of degree n - 1 through noisy labels at n equispaced nodes multiplies the noise by
:math:`A_n=\int\sum_i\ell_i(x)^2\,dx`, with Lagrange's basis :math:`\ell_i`, and

.. math:: A_{n+1}/A_n\to4 :

the excess risk explodes. At Chebyshev's nodes :math:`A_n` stays below 1: it is the
place of the nodes that is catastrophic, not the polynomial.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.3, Figure 13.3; Trefethen and
    Weideman (1991), "Two results on polynomial interpolation in equally spaced points"; Mallinar et
    al. (2022), "Benign, tempered, or catastrophic: a taxonomy of overfitting".
:kind: limit
:covers: overfitting-taxonomy
:scale-free: the growth is a ratio of two gains.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, converges, near, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.double_descent.interpolators import noise_gain, polynomial_weights


class Given(NamedTuple):
    nodes: Callable[[int], Tensor]  # where n nodes are
    noise: Tensor  # for a picture


def equispaced(n: int) -> Tensor:
    """From -1 to 1 in equal steps."""
    return torch.linspace(-1, 1, n, dtype=torch.float64)


def chebyshev(n: int) -> Tensor:
    """Chebyshev's nodes, denser near the ends."""
    return -torch.cos(math.pi * (torch.arange(n, dtype=torch.float64) + 0.5) / n)


class CatastrophicOverfitting(Claim[Given]):
    sizes: tuple[int, ...] = option((8, 16, 32, 64, 128), low=4, high=400)  # nodes

    relation = converges(gap=0.25)  # a power of n beside 4^n shows as 1/n
    supposes = Suppose(
        "the nodes are equispaced",
        lambda g: near(g.nodes(20).diff().diff(), 0.0),
        "At Chebyshev's nodes the noise hardly grows.",
        nodes=lambda g: chebyshev,
    )
    symbols = "4", "growth of the noise by one more node"
    predicts = 4.0
    shows = Over("Noise is multiplied by 4 with each node", x="nodes n")

    def given(self, rng: Generator) -> Given:
        return Given(equispaced, normal(rng, 20))

    def measure(self, given: Given) -> Series:
        return Series(self.sizes, [_gain(given, n + 1) / _gain(given, n) for n in self.sizes])

    @picture("The polynomial through 20 noisy points", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        nodes = trial.given.nodes(20)
        y = torch.sin(math.pi * nodes) + 0.2 * trial.given.noise
        x = torch.linspace(-0.97, 0.97, 389, dtype=torch.float64)
        yield Curve(torch.sin(math.pi * x), x, label="target", role="other")
        yield Curve(polynomial_weights(nodes, x) @ y, x, label="interpolator")
        yield Points(nodes, y, label="labels", role="other")


def _gain(given: Given, n: int) -> float:
    """Mean over x of the noise, by the midpoint rule: 16 points to a cell."""
    x = (torch.arange(16 * n, dtype=torch.float64) + 0.5) / (8 * n) - 1
    return noise_gain(polynomial_weights(given.nodes(n), x))
