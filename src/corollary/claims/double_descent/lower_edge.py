r"""Smallest singular value of a Gaussian matrix, for p not close to n.

The smallest nonzero singular value of an :math:`n\times p` standard normal matrix satisfies

.. math:: \frac{\sigma_{\min}}{|\sqrt n-\sqrt p|}\to1\qquad(n\to\infty,\ p/n\to c\ne1):

the nearer p is to n, the worse a design is conditioned, and the more noise is multiplied.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2; Marchenko and Pastur (1967),
    "Distribution of eigenvalues for some sets of random matrices"; Bai and Yin (1993), "Limit of
    the smallest eigenvalue of a large dimensional sample covariance matrix".
:kind: limit
:uses: marchenko_pastur
:covers: interpolation-conditioning
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, converges, generator, normal, option
from corollary.core.picture import Curve, Marks, Points, band_of_runs, picture
from corollary.core.witness import near
from corollary.theory.double_descent.conditioning import condition_curve, lower_edge


class Given(NamedTuple):
    ratio: float  # p/n
    matrices: Callable[[Generator, int, int, int], Tensor] = normal  # how they are drawn


def twins(rng: Generator, draws: int, n: int, p: int) -> Tensor:
    """Normal matrices in which two rows are almost the same."""
    a = normal(rng, draws, n, p)
    a[:, -1] = a[:, 0] + 1e-3 * a[:, -1]
    return a


class LowerEdge(Claim[Given]):
    ratio: float = option(4.0, low=0.05, high=16.0)  # p/n, not near 1
    sizes: tuple[int, ...] = option((8, 16, 32, 64, 128), low=4, high=2000)  # n
    draws: int = option(12, low=4, high=1000)  # matrices of each size

    relation = converges(gap=0.05)  # fluctuations and bias fall like n^(-2/3)
    supposes = (
        Suppose(
            "the entries are independent",
            lambda g: near(
                torch.corrcoef(g.matrices(generator(0, "rows"), 1, 8, 400)[0]), torch.eye(8), 0.3
            ),
            "Two data points are almost equal, so the smallest singular value is almost 0.",
            matrices=lambda g: twins,
        ),
        Suppose(
            "the matrix is far from square",
            lambda g: abs(g.ratio**0.5 - 1) - 0.17,
            "For nearly square matrices the edge is 0, and the smallest value is of order "
            "n^(-1/2).",
            ratio=1.02,
        ),
    )
    symbols = "limit", "σ_min / |√n − √p|, mean"
    predicts = 1.0
    shows = Over("The smallest singular value tends to its limit", x="n", without=False)

    def given(self, rng: Generator) -> Given:
        return Given(self.ratio)

    def measure(self, given: Given, rng: Generator) -> Series:
        found = []
        for n in self.sizes:
            p = max(1, round(given.ratio * n))
            p += p == n  # at the square itself the edge is 0
            s = torch.linalg.svdvals(given.matrices(rng, self.draws, n, p))[:, -1]
            found.append(float(s.mean()) / lower_edge(n, p))
        return Series(self.sizes, found)

    @picture("Smallest singular value of 40 × p matrices", x="p", y="σ_min")
    def marks(self, trial: Trial[Given]) -> Marks:
        n, ps = 40, [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 80, 120, 160]
        found = condition_curve(n, ps, draws=20, rng=generator(0, "dip")).smallest
        smooth = range(1, 161)
        yield Curve([abs(n**0.5 - p**0.5) for p in smooth], smooth, "|√n − √p|", role="predicted")
        yield band_of_runs(ps, found, "9 of 10 matrices", share=0.9)
        yield Points(ps, found.quantile(0.5, dim=1), label="median")
