r"""Smallest singular value away from the threshold.

The smallest nonzero singular value of an :math:`n\times p` standard normal matrix satisfies

.. math:: \frac{\sigma_{\min}}{|\sqrt n-\sqrt p|}\to1\qquad(n\to\infty,\ p/n\to c\ne1):

the nearer p is to n, the worse a design is conditioned, and the more noise is multiplied.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2; Marchenko and Pastur (1967),
    "Distribution of eigenvalues for some sets of random matrices"; Bai and Yin (1993), "Limit of
    the smallest eigenvalue of a large dimensional sample covariance matrix".
:kind: limit
:cost: instant
:covers: interpolation-conditioning
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Band, Claim, Curve, Figure, Hypothesis, Points, Series, converges, option
from corollary.theory.double_descent.conditioning import condition_curve, lower_edge


class Given(NamedTuple):
    """Tails of the entries and the seed of the matrices."""

    dependent: bool  # two columns are almost the same
    seed: int


@dataclass(frozen=True)
class LowerEdge(Claim[Given]):
    """Smallest singular value over the edge, at growing n."""

    ratio: float = option(4.0, low=0.05, high=16.0)  # p/n, not near 1
    sizes: tuple[int, ...] = option((8, 16, 32, 64, 128), low=4, high=2000)  # n
    draws: int = option(12, low=4, high=1000)  # matrices of each size
    relation = converges(gap=0.05)  # fluctuations and bias fall like n^(-2/3)

    def given(self, rng: Generator) -> Given:
        """Independent entries."""
        return Given(False, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Independence and shape."""
        yield Hypothesis("the entries are independent", not given.dependent)
        yield Hypothesis("the matrix is far from square", not 0.7 < self.ratio < 1.4)

    def predict(self, given: Given) -> float:
        """The limit."""
        return 1.0

    def measure(self, given: Given) -> Series:
        """Means over the draws."""
        out = []
        for n in self.sizes:
            p = max(1, round(self.ratio * n))
            rng = torch.Generator().manual_seed(given.seed + n)
            if not given.dependent:
                s = condition_curve(n, [p], draws=self.draws, rng=rng).smallest[0]
            else:
                a = torch.randn(self.draws, n, p, generator=rng, dtype=torch.float64)
                a[:, -1] = a[:, 0] + 1e-3 * a[:, -1]
                s = torch.linalg.svdvals(a)[:, -1]
            out.append(float(s.mean()) / lower_edge(n, p))
        return Series(self.sizes, out)

    def counterexample(self, rng: Generator) -> Given:
        """Two data points that are almost the same."""
        return self.given(rng)._replace(dependent=True)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The dip at p = n, and the limit."""
        n = 40
        ps = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 80, 120, 160]
        rng = torch.Generator().manual_seed(given.seed)
        found = condition_curve(n, ps, draws=20, rng=rng)
        smooth = list(range(1, 161))
        low, middle, high = found.smallest.quantile(torch.tensor([0.05, 0.5, 0.95]).double(), dim=1)
        edge = [abs(n**0.5 - p**0.5) for p in smooth]
        dip = Figure(
            f"Smallest singular value of {n} × p matrices",
            x="p",
            y="σ_min",
            marks=(
                Curve(edge, smooth, label="|√n − √p|", role="predicted"),
                Band(ps, low, high, label="9 of 10 matrices"),
                Points(ps, middle, label="median"),
            ),
        )
        series = self.measure(given)
        limit = Figure(
            "The edge is reached as n grows",
            x="n",
            y="σ_min / |√n − √p|",
            log_x=True,
            marks=(
                Points(series.sizes, series.values, label=f"mean, p = {self.ratio:g} n"),
                Curve([1.0, 1.0], [series.sizes[0], series.sizes[-1]], "limit", "predicted"),
            ),
        )
        return dip, limit
