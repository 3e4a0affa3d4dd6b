r"""Feature map of the polynomial kernel.

The weighted monomials of degree p,

.. math:: \phi(x)_\alpha = \sqrt{\tfrac{p!}{\alpha!}}\;x^\alpha, \qquad |\alpha| = p,

satisfy :math:`\langle\phi(x), \phi(y)\rangle = \langle x, y\rangle^p`; there are
:math:`\binom{d+p-1}{p}` of them. For d = p = 2: :math:`\phi(x) = (x_1^2, \sqrt2\,x_1x_2, x_2^2)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.1; Schölkopf and Smola (2002),
    "Learning with kernels", Proposition 2.1.
:kind: construction
:covers: polynomial-kernel-feature-map, kernel-definition
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.kernels.kernel import PolynomialKernel, monomial_weights, monomials


class Given(NamedTuple):
    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n d"]
    weights: Float[Tensor, " p"]  # squares of the monomials' weights


class PolynomialFeatureMap(Claim[Given]):
    n: int = option(8, low=1, high=40)  # inputs on each side
    d: int = option(3, low=1, high=6)  # dimension
    p: int = option(2, low=1, high=5)  # degree

    relation = equals(ulps=512, scale=10.0)  # some tens of products of size 10 are added up
    supposes = Suppose(
        "the squared weights sum to d^p",
        lambda self, g: (g.weights.sum() == self.d**self.p, f"sum {g.weights.sum():g}"),
        "If all monomials have weight 1, the mixed monomials count too little.",
        weights=lambda g: torch.ones_like(g.weights),
    )
    symbols = "<x, y>^p", "<φ(x), φ(y)>"
    shows = Parity("Polynomial kernel")

    def given(self, rng: Generator) -> Given:
        x, y = normal(rng, 2, self.n, self.d)
        return Given(x, y, monomial_weights(self.d, self.p))

    def predict(self, given: Given) -> Tensor:
        return PolynomialKernel(self.p)(given.x, given.y).flatten()

    def measure(self, given: Given) -> Tensor:
        a, b = (monomials(t, self.p) * given.weights.sqrt() for t in (given.x, given.y))
        return (a @ b.T).flatten()
