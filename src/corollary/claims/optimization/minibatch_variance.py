r"""The noise of a mini-batch.

For :math:`f=\frac1n\sum_if_i` the mean gradient :math:`\hat g` of r uniform draws is unbiased,
:math:`\mathbb E\hat g=\nabla f`, and with
:math:`\operatorname{var}=\frac1n\sum_i\|\nabla f_i\|^2-\|\nabla f\|^2`

.. math:: \mathbb E\|\hat g-\nabla f\|^2=\frac{\operatorname{var}}r\ \text{with replacement},\qquad
   \frac{\operatorname{var}}r\cdot\frac{n-r}{n-1}\ \text{without}.

Checked exactly, by listing every batch.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Perez Jensen (2025), Deep
    Learning, Section 3.4; Cochran (1977), "Sampling techniques", Theorem 2.2.
:kind: identity
:cost: instant
:covers: sgd-unbiased-variance, stochastic-gradient-descent
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares
from corollary.theory.optimization.stochastic.noise import gradient_noise


class Given(NamedTuple):
    """A problem, a point, and the probability of each index."""

    problem: FiniteSum
    x: Float[Tensor, " d"]
    p: Float[Tensor, " n"]


class MinibatchVariance(Claim[Given]):
    n: int = option(5, low=2, high=6)  # functions; there are nⁿ batches to list
    d: int = 3  # dimension
    relation = equals(ulps=2**12, scale=1e-3)  # squares of differences; at r = n they cancel

    def given(self, rng: Generator) -> Given:
        """Least squares at a random point."""
        X = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        y, x = X[:, 0] + 1, torch.randn(self.d, generator=rng, dtype=torch.float64)
        return Given(squares(X, y), x, torch.full_like(y, 1 / self.n))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The draw is fair."""
        even = bool((given.p - 1 / self.n).abs().max() < 1e-12)
        yield Hypothesis("each index is equally likely", even)

    def predict(self, given: Given) -> list[float]:
        """Both formulas."""
        o, x, _ = given
        sizes = range(1, self.n + 1)
        both = [[gradient_noise(o, x, r, replacement=w) for r in sizes] for w in (True, False)]
        return [float(noise.variance) for kind in both for noise in kind]

    def measure(self, given: Given) -> list[float]:
        """All batches, each with its probability."""
        sizes = range(1, self.n + 1)
        return [self._variance(given, r, kind) for kind in (True, False) for r in sizes]

    def counterexample(self, rng: Generator) -> Given:
        """A loaded die."""
        given = self.given(rng)
        p = torch.arange(1, self.n + 1, dtype=torch.float64)
        return given._replace(p=p / p.sum())

    def figure(self, given: Given) -> Figure:
        """Variance against batch size."""
        predicted, found, r = self.predict(given), self.measure(given), range(1, self.n + 1)
        return Figure(
            "A larger batch is quieter",
            x="r",
            y="E‖ĝ − ∇f‖²",
            marks=(
                Curve(predicted[: self.n], r, "var/r", "predicted"),
                Curve(predicted[self.n :], r, "var/r · (n − r)/(n − 1)", "predicted", dashed=True),
                Points(r, found[: self.n], "all batches with replacement"),
                Points(r, found[self.n :], "all batches without", "other"),
            ),
        )

    def _variance(self, given: Given, r: int, replacement: bool) -> float:
        indices = range(self.n)
        again, once = itertools.product(indices, repeat=r), itertools.combinations(indices, r)
        batches = torch.tensor(list(again if replacement else once))  # b r
        chance = given.p[batches].prod(dim=1)
        g = given.problem.components(given.x)
        off = g[batches].mean(dim=1) - g.mean(dim=0)
        return float((chance / chance.sum() * off.square().sum(dim=1)).sum())
