r"""Moments of the Bernstein basis.

:math:`b_k^m(x)=\binom mkx^k(1-x)^{m-k}` is the law of the number of heads among m throws, so for
:math:`0\le x\le1`

.. math:: \sum_{k=0}^mb_k^m(x)=1,\qquad\sum_{k=0}^m\tfrac km\,b_k^m(x)=x,\qquad
   \sum_{k=0}^m\bigl(x-\tfrac km\bigr)^2b_k^m(x)=\frac{x(1-x)}m .

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, (3.5)-(3.6) and Figure 3.1;
    Bernstein (1912).
:kind: identity
:covers: bernstein-basis
:erratum: [typo] Two sums in the proof sketch start at k = 1 and should start at k = 0, as (3.6)
    does; the counterexample here takes them literally. For m = 5, x = 0.2 the basis then sums to
    0.672 instead of 1, and the variance sum is 0.0189 instead of 0.032.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Marks, Suppose, Trial, equals, option, picture, uniform
from corollary.theory.approximation.bernstein import bernstein_basis


class Given(NamedTuple):
    x: Float[Tensor, " n"]  # points
    k: Int[Tensor, " K"]  # indices of the sums


class BernsteinMoments(Claim[Given]):
    m: int = option(50, low=1, high=2000)  # degree
    n: int = option(25, low=1, high=1000)  # points

    relation = equals(ulps=2**18, scale=1e-2)  # log-gamma of m loses about log2(m log m) bits
    supposes = (
        Suppose("the points lie in [0, 1]", lambda g: ((g.x >= 0) & (g.x <= 1)).all()),
        Suppose(
            "the sums run over k = 0, …, m",
            lambda self, g: torch.equal(g.k, torch.arange(self.m + 1)),
            "Sums that start at k = 1 miss (1 − x)^m.",
            k=lambda g: g.k[1:],
        ),
    )
    symbols = "1, x and x(1 − x)/m", "moments of b"

    def given(self, rng: Generator) -> Given:
        x = uniform(rng, self.n)
        return Given(x, torch.arange(self.m + 1))

    def predict(self, given: Given) -> Tensor:
        x = given.x
        return torch.cat([torch.ones_like(x), x, x * (1 - x) / self.m])

    def measure(self, given: Given) -> Tensor:
        basis, at = bernstein_basis(self.m, given.x)[:, given.k], given.k.to(given.x) / self.m
        spread = (basis * (given.x[:, None] - at) ** 2).sum(1)
        return torch.cat([basis.sum(1), basis @ at, spread])

    @picture("The Bernstein basis for m = 3", x="x", y="b(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        x = torch.linspace(0, 1, 201, dtype=torch.float64)
        basis = bernstein_basis(3, x)
        for k in range(4):
            yield Curve(basis[:, k], x, label=f"k = {k}", role="other")
        yield Curve(basis.sum(1), x, label="sum")
