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
:covers: interpolation-conditioning
:scale-free: an exponent is compared; the one function of theory is drawn
"""

from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Kept, Over, Series, Suppose, Trial, normal, option, slope
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.double_descent.conditioning import square_tail


class Given(NamedTuple):
    """Rows and columns of the matrices."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


class SquareConditioning(Claim[Given]):
    sizes: tuple[int, ...] = option((3, 6, 12, 24, 48), low=2, high=500)  # n = p
    draws: int = option(800, low=200, high=20_000)  # matrices of each size

    relation = slope(gap=0.15)  # each mean is known to 3 %
    supposes = Suppose(
        "there are as many columns as rows",
        lambda g: g.columns == g.rows,
        "With twice as many columns as rows, the smallest singular value grows with n.",
        columns=lambda g: tuple(2 * n for n in g.rows),
    )
    symbols = "n^(−1/2)", "mean σ_min"
    predicts = -0.5
    shows = Over("The smallest singular value of square matrices", x="n")

    def given(self, rng: Generator) -> Given:
        return Given(self.sizes, self.sizes)

    def measure(self, given: Given, rng: Generator) -> Kept:
        shapes = zip(given.rows, given.columns, strict=True)
        smallest = [torch.linalg.svdvals(normal(rng, self.draws, *s))[:, -1] for s in shapes]
        return Kept(Series(given.rows, [float(s.mean()) for s in smallest]), last=smallest[-1])

    @picture("Edelman's law", x="t", y="P(√n σ_min > t)")
    def marks(self, trial: Trial[Given]) -> Marks:
        n = trial.given.rows[-1]
        values = (n**0.5 * trial.kept.last).sort().values
        t = torch.linspace(0, 3, 61, dtype=torch.float64)
        above = 1 - torch.arange(1, len(values) + 1, dtype=torch.float64) / len(values)
        yield Curve(square_tail(t), t, label="exp(−t²/2 − t)", role="predicted")
        yield Curve(above, values, label=f"{self.draws} matrices, n = {n}")
