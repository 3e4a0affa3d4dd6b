r"""Weisfeiler-Lehman: equal graphs get equal colours.

Colour refinement replaces the colour of each node by its colour and the multiset of its
neighbours' colours, until nothing new appears. If :math:`H` is a relabelling of :math:`G`, every
colour comes equally often in both:

.. math:: A_H=PA_GP^\top\quad\Longrightarrow\quad
   |\{v\in G:c(v)=\kappa\}|=|\{v\in H:c(v)=\kappa\}|\quad\text{for all }\kappa .

So different histograms prove that graphs are not isomorphic. Equal ones prove nothing: the ring of
six nodes and two triangles have one colour each.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Weisfeiler and Lehman (1968), "The
    reduction of a graph to canonical form and the algebra which appears therein".
:kind: algorithm
:uses: graph_equivariance
:covers: weisfeiler-lehman-test
:erratum: [wrong] The notes say that the test computes whether an isomorphism exists. It is
    one-sided: it finds the ring of six nodes and two triangles equal, and they have 1 and 2
    components.
:scale-free: Nodes of each colour are counted.
"""

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.claims.geometry._drawing import by_springs, drawn
from corollary.core import Along, Claim, Marks, Points, Suppose, Trial, equals, option, picture
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.colour_refinement import wl_histograms, wl_refine
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    graph: Graph
    other: Graph
    perm: Int[Tensor, " M"]  # how the second is said to be labelled


class WeisfeilerLehman(Claim[Given]):
    rounds: int = option(34, low=1, high=100)  # rounds of refinement at most

    relation = equals()  # nodes are counted
    supposes = Suppose(
        "the second graph is a relabelling of the first",
        lambda g: torch.equal(g.graph.relabel(g.perm).edges, g.other.edges),
        "One edge is removed, and the colours differ.",
        other=lambda g: Graph.of_edges(g.other.M, g.other.edges[1:]),
    )
    symbols = "nodes of this colour", "after relabelling"
    shows = Along("The same colours in any order", x="colour", y="nodes")

    def given(self, rng: Generator) -> Given:
        graph, _ = karate_club()
        perm = torch.randperm(graph.M, generator=rng)
        return Given(graph, graph.relabel(perm), perm)

    def predict(self, given: Given) -> list[int]:
        return wl_histograms(given.graph, given.other, rounds=self.rounds)[0]

    def measure(self, given: Given) -> list[int]:
        return wl_histograms(given.graph, given.other, rounds=self.rounds)[1]

    @picture(
        "Members that the test cannot distinguish",
        x="edges as springs",
        y="nodes push apart",
        equal=True,
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        graph, places = trial.given.graph, by_springs(trial.given.graph)
        colours = wl_refine(graph)
        twins = places[torch.bincount(colours)[colours] > 1]
        yield drawn(graph, places, "friendships")
        yield Points(twins[:, 0], twins[:, 1], label="has the same colour as another member")
