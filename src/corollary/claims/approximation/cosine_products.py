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

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Points, Suppose, Trial, equals, instead, option
from corollary.models.approximators.cosine import CosNetwork, multiply
from corollary.models.approximators.shallow import Superposition


class Given(NamedTuple):
    """Weights of two networks, their activation, and points on a line."""

    F: CosNetwork
    G: CosNetwork
    sigma: Callable[[Tensor], Tensor]
    x: Float[Tensor, "n d"]


def values(given: Given, net: Superposition) -> Tensor:
    """The network with the activation that is given."""
    return Superposition(given.sigma, net.w, net.b, net.a)(given.x).detach()


def addition_theorem(given: Given) -> tuple[bool, str]:
    """Whether 2 s(u) s(v) = s(u + v) + s(u - v)."""
    s, u = given.sigma, given.x[:, 0]
    v = u.flip(0) / 3
    off = float((2 * s(u) * s(v) - s(u + v) - s(u - v)).abs().max())
    return off < 1e-12, f"off by {off:.2g}"


tanh = instead("Hyperbolic tangents have no such rule.", sigma=lambda g: torch.tanh)


@dataclass(frozen=True)
class CosineProducts(Claim[Given]):
    """The product network against the product of values, and its width."""

    d: int = option(3, low=1, high=50)  # dimension
    m: int = option(6, low=1, high=100)  # units of each network

    relation = equals(ulps=2**12, scale=1.0)  # rounding of sums of 2 m m' terms of size one
    supposes = (Suppose("the activation is a cosine", addition_theorem, without=tanh),)
    symbols = "F(x) G(x), and 2mm′", "product network, and its width"

    def given(self, rng: Generator) -> Given:
        def network() -> CosNetwork:
            w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
            b, a = torch.randn(2, self.m, generator=rng, dtype=torch.float64)
            return CosNetwork(w, b, a / a.norm())

        u = torch.randn(self.d, generator=rng, dtype=torch.float64)
        t = torch.linspace(-3, 3, 61, dtype=torch.float64)
        return Given(network(), network(), torch.cos, t[:, None] * u / u.norm())

    def predict(self, given: Given) -> Tensor:
        product = values(given, given.F) * values(given, given.G)
        return torch.cat([product, product.new_tensor([2 * given.F.units * given.G.units])])

    def measure(self, given: Given) -> Tensor:
        product = multiply(given.F, given.G)
        return torch.cat([values(given, product), given.x.new_tensor([product.units])])

    def figure(self, trial: Trial[Given]) -> Figure:
        """Two networks and their product along the line."""
        given, t = trial.given, torch.linspace(-3, 3, 61, dtype=torch.float64)
        return Figure(
            f"Two networks of width {given.F.units}, and one of width {trial.measured[-1]:.0f}",
            x="x, along a line",
            y="value",
            marks=(
                Curve(values(given, given.F), t, label="F", role="other"),
                Curve(values(given, given.G), t, label="G", role="other", dashed=True),
                Curve(trial.predicted[:-1], t, label="F times G", role="predicted"),
                Points(t, trial.measured[:-1], label="product network"),
            ),
        )
