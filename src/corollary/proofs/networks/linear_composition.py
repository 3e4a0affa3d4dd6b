r"""A linear map of a linear map keeps sums and multiples.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.3, proof of Theorem 11.
"""

from torch import Tensor

from corollary.claims.networks.linear_composition import Given, with_activation
from corollary.core import Proof, eq, let
from corollary.models.collapse import collapse_linear


def proof(given: Given) -> Proof:
    net, x = given
    y, alpha, zero = x.flip(0), -0.7, net(0 * x)

    def linear(x: Tensor) -> Tensor:
        """The network without its offset at 0."""
        value: Tensor = net(x) - zero
        return value

    yield "Without its offset, f = g_L ∘ … ∘ g₁ keeps what every layer keeps."
    yield let(r"f(\alpha x)", linear(alpha * x))
    yield eq(r"\alpha f(x)", alpha * linear(x), "each layer keeps multiples")
    yield let("f(x+y)", linear(x + y))
    yield eq("f(x) + f(y)", linear(x) + linear(y), "each layer keeps sums")
    yield "So one matrix does it, the product."
    one = collapse_linear(with_activation(net, "linear"))
    yield let("f(x)", net(x))
    yield eq(r"W_L\cdots W_1x + b", one.apply(x), "a linear map is a matrix")
