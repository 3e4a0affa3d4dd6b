r"""Feature map of the polynomial kernel.

The weighted monomials of degree p,

.. math:: \phi(x)_\alpha = \sqrt{\tfrac{p!}{\alpha!}}\;x^\alpha, \qquad |\alpha| = p,

satisfy :math:`\langle\phi(x), \phi(y)\rangle = \langle x, y\rangle^p`; there are
:math:`\binom{d+p-1}{p}` of them. For d = p = 2: :math:`\phi(x) = (x_1^2, \sqrt2\,x_1x_2, x_2^2)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1; Schölkopf and Smola (2002),
    "Learning with kernels", Proposition 2.1.
:kind: construction
:cost: instant
:covers: polynomial-kernel-feature-map, kernel-definition
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.kernels.kernel import PolynomialKernel, monomial_weights, monomials


class Given(NamedTuple):
    """Two sets of inputs and the squares of the monomials' weights."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n d"]
    weights: Float[Tensor, " p"]


class PolynomialFeatureMap(Claim[Given]):
    n: int = option(8, low=1, high=40)  # inputs on each side
    d: int = option(3, low=1, high=6)  # dimension
    p: int = option(2, low=1, high=5)  # degree
    relation = equals(ulps=512, scale=10.0)  # some tens of products of size 10 are added up

    def given(self, rng: Generator) -> Given:
        """Gaussian inputs, multinomial weights."""
        x, y = torch.randn(2, self.n, self.d, generator=rng, dtype=torch.float64)
        return Given(x, y, monomial_weights(self.d, self.p))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The weights count words."""
        total = float(given.weights.sum())
        yield Hypothesis(
            "the squared weights count all d^p words",
            total == self.d**self.p,
            f"they sum {total:g}",
        )
        count = math.comb(self.d + self.p - 1, self.p)
        yield Hypothesis("there is one feature a monomial", len(given.weights) == count)

    def predict(self, given: Given) -> list[float]:
        """The kernel's values."""
        return PolynomialKernel(self.p)(given.x, given.y).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """Inner products of the features."""
        a, b = (monomials(t, self.p) * given.weights.sqrt() for t in (given.x, given.y))
        return (a @ b.T).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Plain monomials: the mixed ones are too small."""
        given = self.given(rng)
        return given._replace(weights=torch.ones_like(given.weights))

    def figure(self, given: Given) -> Figure:
        """Both sides, over the inner product."""
        products = (given.x @ given.y.T).flatten()
        grid = torch.linspace(float(products.min()), float(products.max()), 101)
        return Figure(
            "Polynomial kernel",
            x="<x, y>",
            y="K(x, y)",
            marks=(
                Curve(grid**self.p, x=grid, label="<x, y>^p", role="predicted"),
                Points(products, self.measure(given), label="<φ(x), φ(y)>"),
            ),
        )
