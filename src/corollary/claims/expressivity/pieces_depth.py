r"""Affine pieces of a ReLU network.

On the line, a unit of layer i of a ReLU network with widths :math:`m_1, \dots, m_L` has at most
:math:`2^i \prod_{j<i} m_j` affine pieces, and the network, linear on top of its L hidden layers, at
most

.. math:: \delta_A \le 2^L \prod_{j=1}^L m_j \le \Big(\frac{2m}{L}\Big)^L, \qquad m = \sum_j m_j .

The product is what depth buys: a single layer with as many units has :math:`m + 1` pieces at most.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 32 and Section 4.4, Problem 3b-c;
    Telgarsky (2016), "Benefits of depth in neural networks".
:kind: bound
:uses: pieces_calculus
:covers: affine-pieces-depth-bound
"""

import math
from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Curve, Marks, Points, Suppose, Trial, at_most, option, picture
from corollary.models.folding import montufar_network
from corollary.models.sawtooth import shallow_relu
from corollary.theory.expressivity.bounds import affine_pieces_mean, affine_pieces_upper
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.regions.patterns import activation_pattern


class Given(NamedTuple):
    model: nn.Sequential  # of one input
    widths: tuple[int, ...]  # that it is said to have


def clipped(self: "PiecesDepth") -> Given:
    """Units that are clipped from above too make 2m + 1 pieces in one layer, not 2m."""
    m = self.widths[0]
    net = shallow_relu([k / m for k in range(m)], [1.0] * m)
    weight, bias, read, *_ = (p.data for p in net.parameters())
    weight.mul_(8.0 * m)
    bias.mul_(8.0 * m)
    read.copy_((-1.0) ** torch.arange(m)[None])
    return Given(nn.Sequential(net[0], nn.Hardtanh(), net[2]), (m,))


class PiecesDepth(Claim[Given]):
    widths: tuple[int, ...] = option((4, 3, 5), low=1, high=16)  # hidden widths
    jitter: float = option(0.02, low=0.0, high=1.0)  # relative noise on the weights

    relation = at_most(ulps=8)  # counts; only the mean is rounded
    supposes = Suppose(
        "each unit bends once",
        lambda g: activation_pattern(g.model, torch.zeros(1, 1)).shape[1] == sum(g.widths),
        without=clipped,
    )
    symbols = "2ᴸ ∏ m, and (2m/L)ᴸ", "pieces δ, and 2ᴸ ∏ m"
    rows = ("pieces", "product of the widths")

    def given(self, rng: Generator) -> Given:
        model = montufar_network(1, self.widths)
        for weight in model.parameters():
            noise = torch.randn(weight.shape, generator=rng, dtype=weight.dtype)
            weight.data.mul_(1 + self.jitter * noise)
        return Given(model, self.widths)

    def predict(self, given: Given) -> list[float]:
        return [affine_pieces_upper(given.widths), affine_pieces_mean(given.widths)]

    def measure(self, given: Given) -> list[float]:
        product = math.prod(2 * m for m in given.widths)
        return [affine_pieces(given.model, -2.0, 3.0).count, product]

    def tight(self) -> Given:
        """One unit has two pieces."""
        return Given(shallow_relu([0.0], [1.0]), (1,))

    @picture("A folding network on the line", x="x", y="f(x)")
    def network(self, trial: Trial[Given]) -> Marks:
        curve = affine_pieces(trial.given.model, -0.1, 1.1)
        yield Curve(curve.values[:, 0], 1.2 * curve.s - 0.1, f"{curve.count} pieces")

    @picture("Depth multiplies, width adds", x="L", y="δ", log="y")
    def growth(self, trial: Trial[Given]) -> Marks:
        (model, widths), L = trial.given, range(1, len(trial.given.widths) + 1)
        yield Curve([affine_pieces_upper(widths[:i]) for i in L], L, "2ᴸ ∏ m", role="predicted")
        yield Points(
            L, [affine_pieces(model[: 2 * i], -2.0, 3.0).count for i in L], "after layer L"
        )
        yield Curve([sum(widths[:i]) + 1 for i in L], L, "as many units in one layer", role="other")
