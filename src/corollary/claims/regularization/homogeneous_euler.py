r"""Euler's identity for homogeneous networks.

If :math:`f(\alpha\theta;x)=\alpha^Lf(\theta;x)` for all :math:`\alpha>0`, then wherever f is
differentiable

.. math:: \langle\theta,\nabla_\theta f(\theta;x)\rangle=L\,f(\theta;x) .

A ReLU network of L layers without biases, or with one in the first layer only, is homogeneous of
degree L in all its parameters together. A bias at the output has degree 1 whatever the depth, and
the identity is lost.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Definition 31 and (11.21);
    Lyu and Li (2020), "Gradient descent maximizes the margin of homogeneous neural networks".
:kind: identity
:uses: chain_rule
:covers: homogeneous-network
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.homogeneous import euler_product, homogeneity_degree


class Given(NamedTuple):
    nets: list[HomogeneousNet]  # of 1, 2, ... layers
    x: Float[Tensor, "n d"]  # points to read them at


def _degrees(given: Given) -> tuple[bool, str]:
    found = [homogeneity_degree(net, given.x) for net in given.nets]
    return all(h.homogeneous for h in found), ", ".join(f"{h.degree:.3g}" for h in found)


def bias_at_the_output(self: "HomogeneousEuler", rng: Generator) -> Given:
    """With a bias at the output, the degree of the bias differs from that of the other weights."""
    given = self.nets(rng, "output")
    return Given(given.nets[1:], given.x)


class HomogeneousEuler(Claim[Given]):
    depth: int = option(4, low=2, high=8)  # layers of the deepest network
    d: int = option(3, low=1, high=50)  # inputs
    m: int = option(12, low=1, high=200)  # units of each hidden layer
    n: int = option(10, low=1, high=200)  # points

    relation = equals(ulps=2**12, scale=1e-2)  # sums over some hundred parameters
    supposes = Suppose("f(αθ) is a power of α times f(θ)", _degrees, without=bias_at_the_output)
    symbols = "L f(θ; x)", "⟨θ, ∇f(θ; x)⟩"
    shows = Parity("Both sides of Euler's identity")

    def given(self, rng: Generator) -> Given:
        return self.nets(rng, "first")

    def nets(self, rng: Generator, bias: Literal["first", "output"]) -> Given:
        """Networks of every depth, with a normal bias in one of their layers."""
        nets = []
        for depth in range(1, self.depth + 1):
            widths = [self.d, *[self.m] * (depth - 1), 1]
            net = HomogeneousNet(widths, bias=bias, scale=2**0.5, rng=rng)
            with torch.no_grad():
                b = net.get_parameter(f"layers.{0 if bias == 'first' else depth - 1}.b")
                b.copy_(normal(rng, *b.shape))
            nets.append(net)
        return Given(nets, normal(rng, self.n, self.d))

    def predict(self, given: Given) -> Tensor:
        return torch.cat([net.degree * net(given.x) for net in given.nets])

    def measure(self, given: Given) -> Tensor:
        return torch.cat([euler_product(net, given.x) for net in given.nets])
