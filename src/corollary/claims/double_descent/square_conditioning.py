r"""Conditioning at the interpolation threshold.

At :math:`p=n` the smallest singular value of a standard normal matrix is of order
:math:`n^{-1/2}`, with

.. math:: P\bigl(\sqrt n\,\sigma_{\min}>t\bigr)\to e^{-t^2/2-t},\qquad
   \mathbb E\,\sigma_{\min}\approx0.656\,n^{-1/2},

while the largest is about :math:`2\sqrt n`: the condition number grows like n, and the inverse
covariance of a design explodes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2; Edelman (1988), "Eigenvalues and
    condition numbers of random matrices".
:kind: rate
:cost: instant
:covers: interpolation-conditioning
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.double_descent.conditioning import SQUARE_MEAN, square_tail


class Given(NamedTuple):
    """Columns for each row, and the seed of the matrices."""

    ratio: float
    seed: int


@dataclass(frozen=True)
class SquareConditioning(Claim[Given]):
    """Mean smallest singular value of square matrices."""

    sizes: tuple[int, ...] = option((3, 6, 12, 24, 48), low=2, high=500)  # n = p
    draws: int = option(800, low=200, high=20_000)  # matrices of each size
    relation = slope(gap=0.15)  # each mean is known to 3 %

    def given(self, rng: Generator) -> Given:
        """Square matrices."""
        return Given(1.0, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The threshold."""
        yield Hypothesis("there are as many columns as rows", given.ratio == 1)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Means over the draws."""
        means = [float(smallest(given, self.draws, n).mean()) for n in self.sizes]
        return Series(self.sizes, means)

    def counterexample(self, rng: Generator) -> Given:
        """Twice as many columns as rows."""
        return self.given(rng)._replace(ratio=2.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The rate, and the law of the smallest singular value."""
        series = self.measure(given)
        rate = Figure(
            "The smallest singular value of square matrices",
            x="n",
            y="E σ_min",
            log_x=True,
            log_y=True,
            marks=(
                Points(series.sizes, series.values, label=f"mean of {self.draws} matrices"),
                Curve(
                    [SQUARE_MEAN * n**-0.5 for n in self.sizes], self.sizes,
                    label="0.656 n^(−1/2)", role="predicted",
                ),
            ),
        )  # fmt: skip
        n = self.sizes[-1]
        values = (n**0.5 * smallest(given, self.draws, n)).sort().values
        t = torch.linspace(0, 3, 61, dtype=torch.float64)
        above = 1 - torch.arange(1, len(values) + 1, dtype=torch.float64) / len(values)
        law = Figure(
            "Edelman's law",
            x="t",
            y="P(√n σ_min > t)",
            marks=(
                Curve(square_tail(t), t, label="exp(−t²/2 − t)", role="predicted"),
                Curve(above, values, label=f"{self.draws} matrices, n = {n}"),
            ),
        )
        return rate, law


@lru_cache(maxsize=32)
def smallest(given: Given, draws: int, n: int) -> Tensor:
    """The smallest singular values of matrices with n rows."""
    rng = torch.Generator().manual_seed(given.seed + n)
    shape = (draws, n, round(given.ratio * n))
    a = torch.randn(shape, generator=rng, dtype=torch.float64)
    return torch.linalg.svdvals(a)[:, -1]
