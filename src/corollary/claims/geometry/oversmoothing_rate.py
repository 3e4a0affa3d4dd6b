r"""The rate of oversmoothing is the second eigenvalue.

On a connected graph the distance :math:`\delta_k=\|\bar A^kX-uu^\top X\|_F` shrinks in each round
by a factor that tends to the largest modulus :math:`\lambda` of the eigenvalues of
:math:`\bar A` other than 1,

.. math:: \frac{\delta_{k+1}}{\delta_k}\to\lambda,

for all features but those without a part along its eigenvector. A narrow bridge between two
halves makes :math:`\lambda` nearly one: what is bad for passing information on is good for keeping
it.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Oono and Suzuki (2020), "Graph neural
    networks exponentially lose expressive power for node classification".
:kind: limit
:cost: instant
:covers: gcn-oversmoothing
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Points,
    Series,
    converges,
)
from corollary.data.graphs import barbell_graph, cycle_graph
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.smoothing import oversmoothing_curve, smoothing_rate


class Given(NamedTuple):
    """A graph with features."""

    graph: Graph
    X: Float[Tensor, "M d"]


class OversmoothingRate(Claim[Given]):
    d: int = 4  # features of a node
    rounds: tuple[int, ...] = (1, 2, 4, 8, 16, 32)  # rounds at which the quotient is taken
    relation = converges(gap=0.01)  # what the third eigenvalue adds after 32 rounds is less

    def given(self, rng: Generator) -> Given:
        """The karate club with Gaussian features."""
        graph, _ = karate_club()
        return Given(graph, torch.randn(graph.M, self.d, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One component."""
        yield Hypothesis("the graph is connected", given.graph.is_connected)

    def predict(self, given: Given) -> float:
        """The second eigenvalue."""
        return smoothing_rate(given.graph)

    def measure(self, given: Given) -> Series:
        """The quotients."""
        q = _quotients(given.graph, given.X, max(self.rounds))
        return Series(self.rounds, [float(q[k - 1]) for k in self.rounds])

    def counterexample(self, rng: Generator) -> Given:
        """Two components: what separates them does not shrink."""
        graph = cycle_graph(5).union(cycle_graph(6))
        return Given(graph, torch.randn(graph.M, self.d, generator=rng, dtype=torch.float64))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The quotients, and the rate of barbells with longer and longer bridges."""
        q = _quotients(given.graph, given.X, max(self.rounds))
        steps = list(range(1, len(q) + 1))
        limit = Figure(
            "Shrinking factor of each round",
            x="k, rounds",
            y="δₖ₊₁ / δₖ",
            marks=(
                Points(steps, q, label="quotient of distances"),
                Level(self.predict(given), label="λ"),
            ),
        )
        bridges = [0, 1, 2, 4, 8, 16]
        rates = [smoothing_rate(barbell_graph(6, b)) for b in bridges]
        measured = []
        for b in bridges:
            graph = barbell_graph(6, b)
            X = torch.randn(graph.M, 4, generator=Generator().manual_seed(b), dtype=torch.float64)
            measured.append(float(_quotients(graph, X, 64)[-1]))
        slow = Figure(
            "Two cliques of six and a bridge",
            x="nodes on the bridge",
            y="λ",
            marks=(
                Curve(rates, x=bridges, label="second eigenvalue", role="predicted"),
                Points(bridges, measured, label="quotient after 64 rounds"),
            ),
        )
        return limit, slow


def _quotients(graph: Graph, X: Tensor, K: int) -> Tensor:
    distance = oversmoothing_curve(graph, X, K).distance
    return distance[1:] / distance[:-1]
