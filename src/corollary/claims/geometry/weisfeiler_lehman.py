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
:cost: instant
:covers: weisfeiler-lehman-test
:erratum: [wrong] The notes say that the test computes whether an isomorphism exists. It is
    one-sided: it finds the ring of six nodes and two triangles equal, and they have 1 and 2
    components.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.claims.geometry._drawing import by_springs, drawn, on_a_circle
from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import complete_bipartite_graph, cycle_graph, path_graph
from corollary.data.karate_club import karate_club
from corollary.theory.geometry.colour_refinement import wl_histograms, wl_refine
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    """Two graphs, and how the second is said to be labelled."""

    graph: Graph
    other: Graph
    perm: Int[Tensor, " M"]


class WeisfeilerLehman(Claim[Given]):
    rounds: int = option(34, low=1, high=100)  # rounds of refinement at most
    relation = equals()  # nodes are counted

    def given(self, rng: Generator) -> Given:
        """A random relabelling."""
        graph, _ = karate_club()
        perm = torch.randperm(graph.M, generator=rng)
        return Given(graph, graph.relabel(perm), perm)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """An isomorphism."""
        same = given.graph.M == given.other.M and torch.equal(
            given.graph.relabel(given.perm).edges, given.other.edges
        )
        yield Hypothesis("the second graph is a relabelling of the first", same)

    def predict(self, given: Given) -> list[float]:
        """How often each colour comes in the first graph."""
        return [float(n) for n in wl_histograms(given.graph, given.other, rounds=self.rounds)[0]]

    def measure(self, given: Given) -> list[float]:
        """How often each colour comes in the second."""
        return [float(n) for n in wl_histograms(given.graph, given.other, rounds=self.rounds)[1]]

    def counterexample(self, rng: Generator) -> Given:
        """A path and a star of four nodes, which have equally many edges."""
        return Given(path_graph(4), complete_bipartite_graph(1, 3), torch.arange(4))

    def figure(self, given: Given) -> tuple[Figure, Figure, Figure]:
        """Colours round by round; the karate club; and the pair that fools the test."""
        rounds = list(range(6))
        kinds = [int(wl_refine(given.graph, rounds=t).max()) + 1 for t in rounds]
        kinds_other = [int(wl_refine(given.other, rounds=t).max()) + 1 for t in rounds]
        refinement = Figure(
            "Colours of the karate club",
            x="rounds",
            y="different colours",
            marks=(
                Curve(kinds, x=rounds, label="as it is", role="predicted"),
                Points(rounds, kinds_other, label="relabelled"),
            ),
        )
        colours = wl_refine(given.graph)
        twins = torch.bincount(colours)[colours] > 1
        places = by_springs(given.graph)
        shared = places[twins]
        club = Figure(
            "Members whom the test cannot tell apart",
            x="edges as springs",
            y="nodes push apart",
            equal=True,
            marks=(
                drawn(given.graph, places, "friendships"),
                Points(shared[:, 0], shared[:, 1], label="shares its colour with another"),
            ),
        )
        ring = on_a_circle(6, x=-1.5)
        three = [on_a_circle(3, x=1.5, y=y, r=0.7) for y in (0.8, -0.8)]
        pair = cycle_graph(3).union(cycle_graph(3))
        fooled = Figure(
            "One colour each, and not isomorphic",
            x="left: C₆; right: two triangles",
            y="drawn side by side",
            equal=True,
            marks=(
                drawn(cycle_graph(6), ring, "1 component"),
                drawn(pair, torch.cat(three), "2 components"),
            ),
        )
        return refinement, club, fooled
