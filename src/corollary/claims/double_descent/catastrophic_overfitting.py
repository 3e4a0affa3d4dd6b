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
:cost: instant
:covers: overfitting-taxonomy
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Series,
    converges,
    option,
)
from corollary.theory.double_descent.interpolators import noise_gain, polynomial_weights


class Given(NamedTuple):
    """Where the nodes are, and labels for the picture."""

    chebyshev: bool
    noise: Tensor  # (20,)


@dataclass(frozen=True)
class CatastrophicOverfitting(Claim[Given]):
    """Growth of the noise by one more node."""

    sizes: tuple[int, ...] = option((8, 16, 32, 64, 128), low=4, high=400)  # nodes
    relation = converges(gap=0.25)  # a power of n beside 4^n shows as 1/n

    def given(self, rng: Generator) -> Given:
        """Equispaced nodes."""
        return Given(False, torch.randn(20, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The nodes."""
        yield Hypothesis("the nodes are equispaced", not given.chebyshev)

    def predict(self, given: Given) -> float:
        """The factor."""
        return 4.0

    def measure(self, given: Given) -> Series:
        """Factors at growing n."""
        return Series(self.sizes, [_gain(given, n + 1) / _gain(given, n) for n in self.sizes])

    def counterexample(self, rng: Generator) -> Given:
        """Chebyshev's nodes."""
        return self.given(rng)._replace(chebyshev=True)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """A fit, and the growth of the noise."""
        nodes = _nodes(given, 20)
        y = torch.sin(math.pi * nodes) + 0.2 * given.noise
        x = torch.linspace(-0.97, 0.97, 389, dtype=torch.float64)
        fit = Figure(
            "The polynomial through 20 noisy points",
            x="x",
            y="f(x)",
            marks=(
                Curve(torch.sin(math.pi * x), x, label="target", role="other"),
                Curve(polynomial_weights(nodes, x) @ y, x, label="interpolator"),
                Points(nodes, y, label="labels", role="other"),
            ),
        )
        n = list(range(4, 61, 4))
        last = _gain(given, n[-1])
        growth = Figure(
            "Noise is multiplied by 4 with each node",
            x="n",
            y="excess risk / σ²",
            log_y=True,
            marks=(
                Curve([4.0 ** (k - n[-1]) * last for k in n], n, "∝ 4ⁿ", "predicted"),
                Points(n, [_gain(given, k) for k in n], label="equispaced nodes"),
                Points(
                    n, [_gain(given._replace(chebyshev=True), k) for k in n],
                    label="Chebyshev's nodes", role="other",
                ),
                Level(1.0, label="the noise itself", role="other"),
            ),
        )  # fmt: skip
        return fit, growth


def _nodes(given: Given, n: int) -> Tensor:
    if given.chebyshev:
        return -torch.cos(math.pi * (torch.arange(n, dtype=torch.float64) + 0.5) / n)
    return torch.linspace(-1, 1, n, dtype=torch.float64)


def _gain(given: Given, n: int) -> float:
    """Mean over x of the noise, by the midpoint rule: 16 points to a cell."""
    m = 16 * n
    x = 2 * (torch.arange(m, dtype=torch.float64) + 0.5) / m - 1
    return noise_gain(polynomial_weights(_nodes(given, n), x))
