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
:cost: instant
:covers: homogeneous-network
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.homogeneous import HomogeneousNet
from corollary.theory.regularization.homogeneous import euler_product, homogeneity_degree


class Given(NamedTuple):
    """Networks of 1, 2, ... layers and points to read them at."""

    nets: list[HomogeneousNet]
    x: Float[Tensor, "n d"]


class HomogeneousEuler(Claim[Given]):
    depth: int = option(4, low=2, high=8)  # layers of the deepest network
    d: int = option(3, low=1, high=50)  # inputs
    m: int = option(12, low=1, high=200)  # units of each hidden layer
    n: int = option(10, low=1, high=200)  # points
    relation = equals(ulps=2**12, scale=1e-2)  # sums over some hundred parameters

    def given(self, rng: Generator) -> Given:
        """Networks with a bias in the first layer, and normal points."""
        return self._nets(rng, "first")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The outputs scale like one power."""
        found = [homogeneity_degree(net, given.x) for net in given.nets]
        degrees = ", ".join(f"{h.degree:.3g}" for h in found)
        yield Hypothesis(
            "f(αθ) is a power of α times f(θ)", all(h.homogeneous for h in found), degrees
        )

    def predict(self, given: Given) -> list[float]:
        """Depth times output."""
        with torch.no_grad():
            return [v for net in given.nets for v in (net.degree * net(given.x)).tolist()]

    def measure(self, given: Given) -> list[float]:
        """Parameters times gradient."""
        return [v for net in given.nets for v in euler_product(net, given.x).tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """A bias at the output of each network."""
        given = self._nets(rng, "output")
        with torch.no_grad():
            for net in given.nets:
                nn.init.constant_(net.layers[-1].b, 0.5)
        return Given(given.nets[1:], given.x)

    def figure(self, given: Given) -> Figure:
        """The output as all parameters are scaled."""
        alpha = torch.logspace(-0.5, 0.5, 21, dtype=torch.float64)
        marks = []
        for net in given.nets:
            marks.append(
                Curve(alpha**net.degree, x=alpha, label=f"α^{net.degree}", role="predicted")
            )
            ratio = [_scaled(net, given.x, float(a)) for a in alpha[::4]]
            marks.append(Points(alpha[::4], ratio, label=f"{net.degree} layers"))
        return Figure(
            "The output scales like α to the depth",
            x="α",
            y="f(αθ; x) / f(θ; x)",
            log_x=True,
            log_y=True,
            marks=tuple(marks),
        )

    def _nets(self, rng: Generator, bias: Literal["first", "output"]) -> Given:
        nets = []
        for depth in range(1, self.depth + 1):
            widths = [self.d, *[self.m] * (depth - 1), 1]
            net = HomogeneousNet(widths, bias=bias, scale=2**0.5, rng=rng)
            with torch.no_grad():
                at = net.layers[0 if bias == "first" else -1].b
                at.copy_(torch.randn(at.shape, generator=rng, dtype=at.dtype))
            nets.append(net)
        return Given(nets, torch.randn(self.n, self.d, generator=rng, dtype=torch.float64))


def _scaled(net: HomogeneousNet, x: Tensor, alpha: float) -> float:
    """The ratio at the point with the largest output."""
    with torch.no_grad():
        base = net(x)
        i = base.abs().argmax()
        scaled = {k: alpha * p for k, p in net.named_parameters()}
        return float(torch.func.functional_call(net, scaled, (x,))[i] / base[i])
