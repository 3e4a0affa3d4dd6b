r"""Depth without non-linearity is one matrix.

If all layers are affine, :math:`x^l=W_lx^{l-1}+b_l`, the network of :math:`L` layers is the affine
map

.. math:: x\mapsto Wx+b,\qquad W=W_L\cdots W_1,\qquad b=\sum_{l=1}^LW_L\cdots W_{l+1}b_l ,

and the rank of :math:`W` is at most the smallest width. Depth adds nothing to what such a network
can express. The claim compares the network, layer by layer, with the one map.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2.3, Theorem 11; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Theorem 1; Perez Jensen (2025), Deep
    Learning, Section 2.3.
:kind: theorem
:cost: instant
:covers: linear-composition
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.models.mlp import MLP
from corollary.theory.networks.activations import LINEAR
from corollary.theory.networks.affine_maps import AffineMap, composed


class Given(NamedTuple):
    """A network and points to feed it."""

    net: MLP
    x: Float[Tensor, "k n"]


class LinearComposition(Claim[Given]):
    widths: tuple[int, ...] = (6, 9, 4, 8, 5)  # input, hidden layers, output
    k: int = 16  # points
    relation = equals(ulps=4096, scale=1.0)  # sums of width terms in every layer, in another order

    def given(self, rng: Generator) -> Given:
        """Random layers with biases, random points."""
        return _draw(self.widths, "linear", self.k, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No activation."""
        linear = all(layer.phi is LINEAR for layer in given.net.layers)
        yield Hypothesis("every layer is affine, without a non-linear activation", linear)

    def predict(self, given: Given) -> list[float]:
        """The one map at the points."""
        maps = [AffineMap(f.affine.W.detach(), f.affine.b.detach()) for f in given.net.layers]
        return composed(maps).apply(given.x).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The network at the points, layer after layer."""
        with torch.no_grad():
            return given.net(given.x).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A ReLU after each hidden layer."""
        return _draw(self.widths, "relu", self.k, rng)

    def figure(self, given: Given) -> Figure:
        """Network against map, with the same weights under ReLU beside it."""
        with torch.no_grad():
            twin = MLP(given.net.widths, "relu", rng=torch.Generator())
            twin.load_state_dict(given.net.state_dict())
            bent = twin(given.x).flatten()
        one, deep = self.predict(given), self.measure(given)
        ends = [min(one), max(one)]
        return Figure(
            "A deep linear network is one matrix",
            x="W x + b",
            y="output of the network",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(one, deep, label="affine layers"),
                Points(one, bent, label="the same weights with ReLU", role="other"),
            ),
        )


def _draw(widths: tuple[int, ...], phi: str, k: int, rng: Generator) -> Given:
    net = MLP(widths, phi, rng=rng)
    with torch.no_grad():
        for layer in net.layers:
            layer.affine.b.normal_(generator=rng)
    x = torch.randn(k, widths[0], generator=rng, device=rng.device, dtype=torch.float64)
    return Given(net, x)
