r"""Oversmoothing.

On a connected graph repeated coupling forgets the features at an exponential rate,

.. math:: \|\bar A^kX-uu^\top X\|_F\le\lambda^k\,\|X-uu^\top X\|_F,\qquad
   u=\frac{D^{1/2}\mathbf{1}}{\|D^{1/2}\mathbf{1}\|},

where :math:`\lambda<1` is the largest modulus of the eigenvalues of :math:`\bar A` other than 1.
What is left is one number a feature: nodes differ by the root of their degree alone. On a graph
with several components each keeps a direction of its own.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Li, Han and Wu (2018), "Deeper insights
    into graph convolutional networks", Theorem 1.
:kind: bound
:cost: instant
:covers: gcn-oversmoothing
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.data.graphs import cycle_graph
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.smoothing import oversmoothing_curve, smoothing_rate


class Given(NamedTuple):
    """A graph with features."""

    graph: Graph
    X: Float[Tensor, "M d"]


class Oversmoothing(Claim[Given]):
    d: int = 4  # features of a member
    K: int = option(30, low=1, high=100)  # rounds
    relation = at_most(ulps=1e5)  # after K rounds the rounding of u is that much of the rest

    def given(self, rng: Generator) -> Given:
        """The karate club with Gaussian features."""
        graph, _ = karate_club()
        return Given(graph, torch.randn(graph.M, self.d, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One component."""
        yield Hypothesis("the graph is connected", given.graph.is_connected)

    def predict(self, given: Given) -> list[float]:
        """The bound after 0, ..., K rounds."""
        start = oversmoothing_curve(given.graph, given.X, 0).distance[0]
        return (start * smoothing_rate(given.graph) ** torch.arange(self.K + 1).double()).tolist()

    def measure(self, given: Given) -> list[float]:
        """The distances."""
        return oversmoothing_curve(given.graph, given.X, self.K).distance.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Two rings: two directions stay."""
        graph = cycle_graph(5).union(cycle_graph(6))
        return Given(graph, torch.randn(graph.M, self.d, generator=rng, dtype=torch.float64))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Distances, with two ways to slow them; and what features become."""
        curves = {
            how: oversmoothing_curve(given.graph, given.X, self.K, residual=how).distance
            for how in ("none", "previous", "first")
        }
        rounds = list(range(self.K + 1))
        decay = Figure(
            "Every round forgets",
            x="k, rounds",
            y="‖X⁽ᵏ⁾ − uuᵀX‖",
            log_y=True,
            marks=(
                Curve(self.predict(given), x=rounds, label="λᵏ ‖X − uuᵀX‖", role="predicted"),
                Points(rounds, curves["none"], label="Āᵏ X"),
                Curve(curves["previous"], label="averaged with the round before", role="other"),
                Curve(curves["first"], label="a tenth of X returned each round", role="other",
                      dashed=True),
            ),
        )  # fmt: skip
        root = (1 + given.graph.degrees).double().sqrt()
        marks = []
        for k, role in ((0, "other"), (2, "other"), (self.K, "measured")):
            feature = oversmoothing_curve(given.graph, given.X, k).features[:, 0]
            marks.append(Points(root, feature, label=f"first feature, k = {k}", role=role))
        collapse = Figure(
            "In the end the degree is all that is left",
            x="√d of the node",
            y="first feature of the node",
            marks=tuple(marks),
        )
        return decay, collapse
