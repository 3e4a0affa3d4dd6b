r"""Message passing sees no more than colours.

If colour refinement gives two graphs the same histogram of colours, every network of message
passing layers with a readout that adds over nodes gives them the same value, whatever its weights:

.. math:: c(G)=c(H)\quad\Longrightarrow\quad f(G)=f(H).

A ring of :math:`2n` nodes and two rings of :math:`n` are such a pair, though one is connected and
the other is not.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Morris et al. (2019), "Weisfeiler and
    Leman go neural", Theorem 1; Xu, Hu, Leskovec and Jegelka (2019), "How powerful are graph
    neural networks?", Lemma 2.
:kind: theorem
:cost: instant
:covers: weisfeiler-lehman-test
:erratum: [wrong] The test is said to compute whether an isomorphism exists; for the pairs here it
    sees no difference, and neither does any of the networks.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import cycle_graph, path_graph
from corollary.models.message_passing import MessagePassing
from corollary.models.mlp import MLP
from corollary.theory.geometry.colour_refinement import wl_equivalent
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    """Two graphs and networks."""

    graph: Graph
    other: Graph
    networks: list[nn.ModuleList]


class MessagePassingColours(Claim[Given]):
    n: int = option(3, low=3, high=50)  # nodes of each of the two rings; the other has twice that
    networks: int = option(12, low=1, high=100)  # random networks
    layers: int = option(3, low=1, high=6)  # layers of each
    relation = equals(ulps=1024, scale=1.0)  # sums over nodes in another order

    def given(self, rng: Generator) -> Given:
        """One ring and two, and random networks."""
        networks = [_network(self.layers, rng) for _ in range(self.networks)]
        small = cycle_graph(self.n)
        return Given(cycle_graph(2 * self.n), small.union(small), networks)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The test."""
        same = wl_equivalent(given.graph, given.other)
        yield Hypothesis("colour refinement cannot tell the graphs apart", same)

    def predict(self, given: Given) -> list[float]:
        """Readouts on the first graph."""
        return [_readout(net, given.graph) for net in given.networks]

    def measure(self, given: Given) -> list[float]:
        """Readouts on the second."""
        return [_readout(net, given.other) for net in given.networks]

    def counterexample(self, rng: Generator) -> Given:
        """A ring and a path, which have different degrees."""
        given = self.given(rng)
        return given._replace(other=path_graph(2 * self.n))

    def figure(self, given: Given) -> Figure:
        """Readouts on one graph against those on the other."""
        ring = self.predict(given)
        path = [_readout(net, path_graph(2 * self.n)) for net in given.networks]
        ends = [min(ring), max(ring)]
        marks = (
            Curve(ends, x=ends, label="equal", role="predicted"),
            Points(ring, self.measure(given), label=f"two rings of {self.n}"),
            Points(ring, path, label=f"a path of {2 * self.n}", role="other"),
        )
        x = f"readout on a ring of {2 * self.n}, one dot a network"
        return Figure("What random networks see", x=x, y="readout on the other", marks=marks)


def _network(layers: int, rng: Generator) -> nn.ModuleList:
    return nn.ModuleList(
        MessagePassing(MLP([4, 8, 4], "tanh", rng=rng), MLP([8, 8, 4], "tanh", rng=rng), "sum")
        for _ in range(layers)
    )


def _readout(net: nn.ModuleList, graph: Graph) -> float:
    x: Tensor = torch.ones(graph.M, 4, dtype=torch.float64)  # nodes start alike
    with torch.no_grad():
        for layer in net:
            x = layer(x, graph)
    return float(x.sum())
