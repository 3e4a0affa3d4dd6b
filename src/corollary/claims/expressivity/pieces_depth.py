r"""Affine pieces of a ReLU network.

On the line, a unit of layer i of a ReLU network with widths :math:`m_1, \dots, m_L` has at most
:math:`2^i \prod_{j<i} m_j` affine pieces, and the network, linear on top of its L hidden layers, at
most

.. math:: \delta_A \le 2^L \prod_{j=1}^L m_j \le \Big(\frac{2m}{L}\Big)^L, \qquad m = \sum_j m_j .

The product is what depth buys: a single layer with as many units has :math:`m + 1` pieces at most.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 32 and Section 4.4, Problem 3b-c;
    Telgarsky (2016), "Benefits of depth in neural networks".
:kind: bound
:cost: instant
:covers: affine-pieces-depth-bound
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.models.folding import montufar_network
from corollary.theory.expressivity.bounds import affine_pieces_mean, affine_pieces_upper
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.regions.patterns import activation_pattern


class Given(NamedTuple):
    """A network of one input, and the widths it is said to have."""

    model: nn.Module
    widths: tuple[int, ...]


@dataclass(frozen=True)
class PiecesDepth(Claim[Given]):
    """Pieces of a folding network with jittered weights, and the inequality of the means."""

    widths: tuple[int, ...] = option((4, 3, 5), low=1, high=16)  # hidden widths
    jitter: float = option(0.02, low=0.0, high=1.0)  # relative noise on the weights
    relation = at_most(ulps=8)  # counts; only the mean is rounded

    def given(self, rng: Generator) -> Given:
        """Zig-zags on zig-zags, with noise on every weight."""
        model = montufar_network(1, self.widths)
        with torch.no_grad():
            for weight in model.parameters():
                noise = torch.randn(weight.shape, generator=rng, dtype=weight.dtype)
                weight.mul_(1 + self.jitter * noise)
        return Given(model, self.widths)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One bend a unit."""
        bends = activation_pattern(given.model, torch.zeros(1, 1)).shape[1]
        yield Hypothesis(
            "each unit bends once", bends == sum(given.widths), f"{bends} bends in all"
        )

    def predict(self, given: Given) -> list[float]:
        """The product, which bounds the pieces, and the power of the mean, which bounds it."""
        return [float(affine_pieces_upper(given.widths)), affine_pieces_mean(given.widths)]

    def measure(self, given: Given) -> list[float]:
        """Pieces on [-2, 3], found layer by layer; and two to the depth times the widths."""
        product = 1.0
        for m in given.widths:
            product *= 2 * m
        return [float(affine_pieces(given.model, -2.0, 3.0).count), product]

    def counterexample(self, rng: Generator) -> Given:
        """One layer of units that are clipped from above too: 2m + 1 pieces, not 2m."""
        m = self.widths[0]
        first, last = nn.Linear(1, m, dtype=torch.float64), nn.Linear(m, 1, dtype=torch.float64)
        with torch.no_grad():
            first.weight.fill_(8.0 * m)
            first.bias.copy_(-8.0 * torch.arange(m, dtype=torch.float64))
            last.weight.copy_((-1.0) ** torch.arange(m)[None])
            last.bias.zero_()
        return Given(nn.Sequential(first, nn.Hardtanh(), last), (m,))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The function, and its pieces as layers come on."""
        curve = affine_pieces(given.model, -0.1, 1.1)
        function = Figure(
            "A folding network on the line",
            x="x",
            y="f(x)",
            marks=(Curve(curve.values[:, 0], 1.2 * curve.s - 0.1, f"{curve.count} pieces"),),
        )
        depths = list(range(1, len(given.widths) + 1))
        found = [affine_pieces(given.model[: 2 * i], -2.0, 3.0).count for i in depths]  # type: ignore[index]
        bound = [affine_pieces_upper(given.widths[:i]) for i in depths]
        units = [sum(given.widths[:i]) + 1 for i in depths]
        growth = Figure(
            "Depth multiplies, width adds",
            x="L",
            y="δ",
            log_y=True,
            marks=(
                Curve(bound, depths, "2ᴸ ∏ m", role="predicted"),
                Points(depths, found, "pieces after layer L"),
                Curve(units, depths, "as many units in one layer", role="other", dashed=True),
            ),
        )
        return function, growth
