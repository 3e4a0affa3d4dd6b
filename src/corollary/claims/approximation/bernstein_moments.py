r"""Moments of the Bernstein basis.

:math:`b_k^m(x)=\binom mkx^k(1-x)^{m-k}` is the law of the number of heads among m throws, so for
:math:`0\le x\le1`

.. math:: \sum_{k=0}^mb_k^m(x)=1,\qquad\sum_{k=0}^m\tfrac km\,b_k^m(x)=x,\qquad
   \sum_{k=0}^m\bigl(x-\tfrac km\bigr)^2b_k^m(x)=\frac{x(1-x)}m .

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, (3.5)-(3.6) and Figure 3.1;
    Bernstein (1912).
:kind: identity
:cost: instant
:covers: bernstein-basis
:erratum: [typo] Two sums in the proof sketch start at k = 1 and should start at k = 0, as (3.6)
    does; the counterexample here takes them literally. For m = 5, x = 0.2 the basis then sums to
    0.672 instead of 1, and the variance sum is 0.0189 instead of 0.032.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.approximation.bernstein import bernstein_basis


class Given(NamedTuple):
    """Points, and the index at which the sums start."""

    x: Float[Tensor, " n"]
    start: int


@dataclass(frozen=True)
class BernsteinMoments(Claim[Given]):
    """Sum, mean and variance of the Bernstein basis at drawn points."""

    m: int = option(50, low=1, high=2000)  # degree
    n: int = option(25, low=1, high=1000)  # points
    relation = equals(ulps=2**18, scale=1e-2)  # log-gamma of m loses about log2(m log m) bits

    def given(self, rng: Generator) -> Given:
        """Points of the unit interval."""
        return Given(torch.rand(self.n, generator=rng, dtype=torch.float64), 0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Points in the interval, all terms."""
        yield Hypothesis("the points lie in [0, 1]", ((given.x >= 0) & (given.x <= 1)).all())
        yield Hypothesis("the sums start at k = 0", given.start == 0)

    def predict(self, given: Given) -> list[float]:
        """1, x and x(1 - x)/m."""
        x = given.x
        return torch.cat([torch.ones_like(x), x, x * (1 - x) / self.m]).tolist()

    def measure(self, given: Given) -> list[float]:
        """The three sums."""
        basis = bernstein_basis(self.m, given.x)[:, given.start :]
        at = torch.arange(given.start, self.m + 1, dtype=basis.dtype) / self.m
        spread = (basis * (given.x[:, None] - at) ** 2).sum(1)
        return torch.cat([basis.sum(1), basis @ at, spread]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Sums that start at k = 1, seen near 0."""
        return Given(torch.full((1,), 0.5 / self.m, dtype=torch.float64), 1)

    def figure(self, given: Given) -> Figure:
        """The basis of degree 3."""
        x = torch.linspace(0, 1, 201, dtype=torch.float64)
        basis = bernstein_basis(3, x)
        curves = [Curve(basis[:, k], x, label=f"k = {k}", role="other") for k in range(4)]
        total = Curve(basis.sum(1), x, label="sum")
        return Figure("The Bernstein basis for m = 3", x="x", y="b(x)", marks=(*curves, total))
