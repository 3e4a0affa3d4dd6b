r"""The product of two cosine networks is a cosine network.

.. math:: \Bigl(\sum_{i\le m}a_i\cos(w_i\cdot x+b_i)\Bigr)\Bigl(\sum_{j\le m'}a'_j
   \cos(w'_j\cdot x+b'_j)\Bigr)=\sum_{i,j,\pm}\frac{a_ia'_j}2
   \cos\bigl((w_i\pm w'_j)\cdot x+b_i\pm b'_j\bigr)

with :math:`2mm'` units. Closed under products, the class is an algebra, and the theorem of Stone
and Weierstrass makes it dense. No other usual activation has such a rule.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 2a and (3.15).
:kind: identity
:covers: cosine-network-universal
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.models.approximators.cosine import CosNetwork, multiply
from corollary.models.approximators.shallow import Superposition


class Given(NamedTuple):
    F: CosNetwork  # weights of two networks
    G: CosNetwork
    sigma: Callable[[Tensor], Tensor]  # their activation
    u: Float[Tensor, " d"]  # line of inputs
    t: Float[Tensor, " n"]  # places on it


def values(given: Given, net: Superposition) -> Tensor:
    """The network with the activation that is given."""
    out: Tensor = Superposition(given.sigma, net.w, net.b, net.a)(given.t[:, None] * given.u)
    return out.detach()


def addition_theorem(given: Given) -> Tensor:
    """How far 2 s(u) s(v) is from s(u + v) + s(u - v)."""
    s, u, v = given.sigma, given.t, given.t.flip(0) / 3
    return 1e-12 - (2 * s(u) * s(v) - s(u + v) - s(u - v)).abs().max()


class CosineProducts(Claim[Given]):
    d: int = option(3, low=1, high=50)  # dimension
    m: int = option(6, low=1, high=100)  # units of each network

    relation = equals(ulps=2**12, scale=1.0)  # rounding of sums of 2 m m' terms of size one
    supposes = Suppose(
        "the activation is a cosine",
        addition_theorem,
        "A product of hyperbolic tangents is not a sum of hyperbolic tangents.",
        sigma=lambda g: torch.tanh,
    )
    symbols = "F(x) G(x), and 2mm′", "product network, and its width"
    shows = Along("Two networks and their product", x="x, along a line", y="value", at="t")

    def given(self, rng: Generator) -> Given:
        def network() -> CosNetwork:
            w = normal(rng, self.m, self.d)
            b, a = normal(rng, 2, self.m)
            return CosNetwork(w, b, a / a.norm())

        u = normal(rng, self.d)
        t = torch.linspace(-3, 3, 61, dtype=torch.float64)
        return Given(network(), network(), torch.cos, u / u.norm(), t)

    def predict(self, given: Given) -> list[float]:
        product = values(given, given.F) * values(given, given.G)
        return [*product.tolist(), 2 * given.F.units * given.G.units]

    def measure(self, given: Given) -> list[float]:
        product = multiply(given.F, given.G)
        return [*values(given, product).tolist(), product.units]
