r"""The variance of a mini-batch gradient.

For :math:`f=\frac1n\sum_if_i` the mean gradient :math:`\hat g` of r uniform draws is unbiased,
:math:`\mathbb E\hat g=\nabla f`, and with
:math:`\operatorname{var}=\frac1n\sum_i\|\nabla f_i\|^2-\|\nabla f\|^2`

.. math:: \mathbb E\|\hat g-\nabla f\|^2=\frac{\operatorname{var}}r\ \text{with replacement},\qquad
   \frac{\operatorname{var}}r\cdot\frac{n-r}{n-1}\ \text{without}.

Checked exactly, by listing every batch.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.7; Perez Jensen (2025), Deep
    Learning, Section 3.4; Cochran (1977), "Sampling techniques", Theorem 2.2.
:kind: identity
:covers: sgd-unbiased-variance
"""

import itertools
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, squares
from corollary.theory.optimization.stochastic.noise import gradient_noise


class Given(NamedTuple):
    problem: FiniteSum
    x: Float[Tensor, " d"]
    p: Float[Tensor, " n"]  # probability of each index


class MinibatchVariance(Claim[Given]):
    n: int = option(5, low=2, high=6)  # functions; there are nⁿ batches to list
    d: int = 3  # dimension

    relation = equals(ulps=2**12, scale=1e-3)  # squares of differences; at r = n they cancel
    supposes = Suppose(
        "each index is equally likely",
        lambda g: near(g.p, 1 / len(g.p)),
        "If the indices are not equally likely, the gradient is biased.",
        p=lambda g: torch.arange(1, len(g.p) + 1) / torch.arange(1, len(g.p) + 1).double().sum(),
    )
    symbols = "formula", "all batches"
    shows = Along(
        "Variance of the gradient against the batch size",
        x="r",
        y="E‖ĝ − ∇f‖²",
        first=1,
        parts=("with replacement", "without"),
    )

    def given(self, rng: Generator) -> Given:
        X, x = normal(rng, self.n, self.d), normal(rng, self.d)
        fair = torch.full((self.n,), 1 / self.n, dtype=torch.float64)
        return Given(squares(X, X[:, 0] + 1), x, fair)

    def predict(self, given: Given) -> list[float]:
        o, x, _ = given
        pairs = itertools.product((True, False), range(1, self.n + 1))
        return [float(gradient_noise(o, x, r, replacement=again).variance) for again, r in pairs]

    def measure(self, given: Given) -> list[float]:
        g = given.problem.components(given.x)

        def variance(batches: list[tuple[int, ...]]) -> float:
            indices = torch.tensor(batches)
            chance = given.p[indices].prod(dim=1)
            off = (g[indices].mean(dim=1) - g.mean(dim=0)).square().sum(dim=1)
            return float((chance / chance.sum() * off).sum())

        n, sizes = range(self.n), range(1, self.n + 1)
        again = [variance(list(itertools.product(n, repeat=r))) for r in sizes]
        return again + [variance(list(itertools.combinations(n, r))) for r in sizes]
