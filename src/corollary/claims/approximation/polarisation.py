r"""A monomial is a sum of powers of linear forms.

For a multi-index :math:`\alpha` of degree :math:`k=|\alpha|`

.. math:: x^\alpha=\frac1{k!}\sum_{0\le p\le\alpha}(-1)^{k-|p|}\prod_i\binom{\alpha_i}{p_i}
   \bigl((p-\tfrac\alpha2)\cdot x\bigr)^k,

for instance :math:`x_1x_2=\frac14[(x_1+x_2)^2-(x_1-x_2)^2]`. So sums of ridge functions contain
every polynomial, and are dense in :math:`C(K)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 21; Vostrecov and Kreines
    (1961), Approximation of continuous functions by superpositions of plane waves.
:kind: identity
:covers: ridge-function-theorem
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, option, uniform
from corollary.theory.approximation.ridge_sums import exponents, monomial_as_ridge_sum


class Given(NamedTuple):
    alpha: tuple[int, ...]  # monomial
    power: int  # that linear forms are raised to
    x: Float[Tensor, "k n"]  # points


class Polarisation(Claim[Given]):
    n: int = option(3, low=1, high=5)  # variables
    k: int = option(4, low=1, high=7)  # degree
    points: int = option(40, low=1, high=10_000)  # points of comparison

    relation = equals(ulps=2**14, scale=1.0)  # terms that are larger than their sum cancel
    supposes = Suppose(
        "the power is the degree",
        lambda g: g.power == sum(g.alpha),
        "The exponent is one larger than the degree.",
        power=lambda g: g.power + 1,
    )
    symbols = "xᵅ", "Σ c (θ·x)ᵏ"
    shows = Parity("A monomial as a sum of powers of linear forms")

    def given(self, rng: Generator) -> Given:
        every = exponents(self.n, self.k)
        alpha = every[int(torch.randint(len(every), (1,), generator=rng))]
        x = 2 * uniform(rng, self.points, self.n) - 1
        return Given(alpha, self.k, x)

    def predict(self, given: Given) -> Tensor:
        return given.x.pow(given.x.new_tensor(given.alpha)).prod(1)

    def measure(self, given: Given) -> Tensor:
        ridge = monomial_as_ridge_sum(given.alpha)
        return (given.x @ ridge.directions.T).pow(given.power) @ ridge.weights
