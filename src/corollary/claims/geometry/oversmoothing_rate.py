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
:uses: oversmoothing
:covers: gcn-oversmoothing
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, converges, normal
from corollary.data.graphs import cycle_graph
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.smoothing import oversmoothing_curve, smoothing_rate


class Given(NamedTuple):
    graph: Graph
    X: Float[Tensor, "M d"]  # features


class OversmoothingRate(Claim[Given]):
    d: int = 4  # features of a node
    rounds: tuple[int, ...] = (1, 2, 4, 8, 16, 32)  # rounds at which the quotient is taken

    relation = converges(gap=0.01)  # what the third eigenvalue adds after 32 rounds is less
    supposes = Suppose(
        "the graph is connected",
        lambda g: g.graph.is_connected,
        "The graph consists of two rings, and the difference between the rings does not shrink.",
        lambda g: Given(cycle_graph(5).union(cycle_graph(6)), g.X[:11]),
    )
    symbols = "λ", "δₖ₊₁ / δₖ"
    shows = Over("Contraction factor of each round", x="k, rounds")

    def given(self, rng: Generator) -> Given:
        graph, _ = karate_club()
        return Given(graph, normal(rng, graph.M, self.d))

    def predict(self, given: Given) -> float:
        return smoothing_rate(given.graph)

    def measure(self, given: Given) -> Series:
        distance = oversmoothing_curve(given.graph, given.X, max(self.rounds)).distance
        return Series(self.rounds, [float(distance[k] / distance[k - 1]) for k in self.rounds])
