r"""Message passing distinguishes no more graphs than colour refinement.

If colour refinement gives two graphs the same histogram of colours, every network of message
passing layers with a readout that adds over nodes gives them the same value, whatever its weights:

.. math:: c(G)=c(H)\quad\Longrightarrow\quad f(G)=f(H).

A ring of :math:`2n` nodes and two rings of :math:`n` are such a pair, though one is connected and
the other is not.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Morris et al. (2019), "Weisfeiler and
    Leman go neural", Theorem 1; Xu, Hu, Leskovec and Jegelka (2019), "How powerful are graph
    neural networks?", Lemma 2.
:kind: theorem
:uses: weisfeiler_lehman
:covers: weisfeiler-lehman-test
:erratum: [wrong] The test is said to compute whether an isomorphism exists; for the pairs here it
    sees no difference, and neither does any of the networks.
"""

from typing import NamedTuple

import torch
from torch import Generator, nn

from corollary.core import Claim, Parity, Suppose, equals, option
from corollary.data.graphs import cycle_graph, path_graph
from corollary.models.message_passing import MessagePassing
from corollary.models.mlp import MLP
from corollary.theory.geometry.colour_refinement import wl_equivalent
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    graph: Graph
    other: Graph
    networks: list[list[nn.Module]]  # layers of each


def readout(layers: list[nn.Module], graph: Graph) -> float:
    """The sum over nodes after all layers."""
    x = torch.ones(graph.M, 4, dtype=torch.float64)  # nodes start alike
    for layer in layers:
        x = layer(x, graph)
    return float(x.sum().detach())


class MessagePassingColours(Claim[Given]):
    n: int = option(3, low=3, high=50)  # nodes of each of the two rings; the other has twice that
    networks: int = option(12, low=1, high=100)  # random networks
    layers: int = option(3, low=1, high=6)  # layers per network

    relation = equals(ulps=1024, scale=1.0)  # sums over nodes in another order
    supposes = Suppose(
        "colour refinement cannot tell the graphs apart",
        lambda g: wl_equivalent(g.graph, g.other),
        "The second graph is a path, whose degrees differ from those of a ring.",
        other=lambda g: path_graph(g.graph.M),
    )
    symbols = "readout on one ring", "readout on two rings of half its size"
    shows = Parity("Readouts of random networks on two graphs")

    def given(self, rng: Generator) -> Given:
        def layer() -> nn.Module:
            message, update = MLP([4, 8, 4], "tanh", rng=rng), MLP([8, 8, 4], "tanh", rng=rng)
            return MessagePassing(message, update, "sum")

        networks = [[layer() for _ in range(self.layers)] for _ in range(self.networks)]
        small = cycle_graph(self.n)
        return Given(cycle_graph(2 * self.n), small.union(small), networks)

    def predict(self, given: Given) -> list[float]:
        return [readout(net, given.graph) for net in given.networks]

    def measure(self, given: Given) -> list[float]:
        return [readout(net, given.other) for net in given.networks]
