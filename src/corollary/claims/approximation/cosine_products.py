r"""The product of two cosine networks is a cosine network.

.. math:: \Bigl(\sum_{i\le m}a_i\cos(w_i\cdot x+b_i)\Bigr)\Bigl(\sum_{j\le m'}a'_j
   \cos(w'_j\cdot x+b'_j)\Bigr)=\sum_{i,j,\pm}\frac{a_ia'_j}2
   \cos\bigl((w_i\pm w'_j)\cdot x+b_i\pm b'_j\bigr)

with :math:`2mm'` units. Closed under products, the class is an algebra, and the theorem of Stone
and Weierstrass makes it dense. No other usual activation has such a rule.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 2a and (3.15).
:kind: identity
:cost: instant
:covers: cosine-network-universal
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.approximators.cosine import CosNetwork, multiply
from corollary.models.approximators.shallow import Superposition


class Given(NamedTuple):
    """Weights of two networks, their activation, and points."""

    F: CosNetwork
    G: CosNetwork
    sigma: Callable[[Tensor], Tensor]
    x: Float[Tensor, "n d"]


@dataclass(frozen=True)
class CosineProducts(Claim[Given]):
    """The product network against the product of values, and its width."""

    d: int = option(3, low=1, high=50)  # dimension
    m: int = option(6, low=1, high=100)  # units of each network
    relation = equals(ulps=2**12, scale=1.0)  # rounding of sums of 2 m m' terms of size one

    def given(self, rng: Generator) -> Given:
        """Gaussian weights."""

        def network() -> CosNetwork:
            w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
            b, a = torch.randn(2, self.m, generator=rng, dtype=torch.float64)
            return CosNetwork(w, b, a / a.norm())

        x = torch.randn(50, self.d, generator=rng, dtype=torch.float64)
        return Given(network(), network(), torch.cos, x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The addition theorem of the cosine."""
        u, v = given.x[:25, 0], given.x[25:, 0]
        s = given.sigma
        off = float((2 * s(u) * s(v) - s(u + v) - s(u - v)).abs().max())
        yield Hypothesis("the activation is a cosine", off < 1e-12, f"off by {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The product of values, and 2 m m'."""
        product = _values(given, given.F, given.x) * _values(given, given.G, given.x)
        return [*product.tolist(), 2.0 * given.F.units * given.G.units]

    def measure(self, given: Given) -> list[float]:
        """The product network, and its width."""
        product = multiply(given.F, given.G)
        return [*_values(given, product, given.x).tolist(), float(product.units)]

    def counterexample(self, rng: Generator) -> Given:
        """Hyperbolic tangents."""
        return self.given(rng)._replace(sigma=torch.tanh)

    def figure(self, given: Given) -> Figure:
        """Along a line."""
        t = torch.linspace(-3, 3, 121, dtype=torch.float64)
        x = t[:, None] * given.x[:1] / given.x[:1].norm()
        F, G = _values(given, given.F, x), _values(given, given.G, x)
        product = multiply(given.F, given.G)
        return Figure(
            f"Two networks of width {given.F.units}, and one of width {product.units}",
            x="x, along a line",
            y="value",
            marks=(
                Curve(F, t, label="F", role="other"),
                Curve(G, t, label="G", role="other", dashed=True),
                Curve(F * G, t, label="F times G", role="predicted"),
                Points(t[::4], _values(given, product, x)[::4], label="product network"),
            ),
        )


def _values(given: Given, net: Superposition, x: Tensor) -> Tensor:
    return Superposition(given.sigma, net.w, net.b, net.a)(x).detach()
