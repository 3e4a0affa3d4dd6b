r"""Colour refinement, the Weisfeiler-Lehman test of graph isomorphism.

.. math:: c_{t+1}(v)=\operatorname{hash}\bigl(c_t(v),\{\!\{c_t(w):w\in N(v)\}\!\}\bigr)

until the partition of the nodes no longer changes. Two graphs with different histograms of
colours are not isomorphic; equal histograms prove nothing. A network that passes messages sees no
more than these colours.

The multiset is hashed by a sum of 64-bit words, one drawn for each colour, modulo :math:`2^{64}`:
linear time, and two different multisets collide with probability :math:`2^{-64}M` at most. A
round costs O(M + E), up to sorting.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Weisfeiler and Lehman (1968), "The
    reduction of a graph to canonical form and the algebra which appears therein"; Morris et al.
    (2019), "Weisfeiler and Leman go neural", Theorems 1 and 2.
:erratum: [wrong] The notes say that the test computes whether an isomorphism exists. It is
    one-sided: different colourings exclude an isomorphism, equal ones do not prove it. The cycle
    of six nodes and two triangles get one colour each and are not isomorphic: one has 1 component,
    the other 2.
"""

import torch
from jaxtyping import Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph


def wl_refine(
    graph: Graph, colours: Int[Tensor, " M"] | None = None, *, rounds: int | None = None
) -> Int[Tensor, " M"]:
    """The stable colours of the nodes, numbered from 0.

    Args:
        graph: Any graph.
        colours: Colours to start from; all equal if absent.
        rounds: Stop after so many rounds; until stable if absent.

    Example:
        >>> wl_refine(Graph.of_edges(4, [(0, 1), (1, 2), (2, 3)])).tolist()  # a path
        [0, 1, 1, 0]

    :covers: weisfeiler-lehman-test
    """
    if colours is not None and colours.shape != (graph.M,):
        raise InputError(
            f"expected a colour for each of {graph.M} nodes, got shape {tuple(colours.shape)}"
        )
    start = torch.zeros(graph.M, dtype=torch.int64) if colours is None else colours
    c = _numbered(start[:, None])
    node, neighbour = graph.arcs
    kinds = int(c.max()) + 1
    for t in range(graph.M if rounds is None else rounds):
        words = _words(kinds, t)[c]
        heard = torch.zeros_like(words).index_add_(0, node, words[neighbour])  # wraps modulo 2^64
        finer = _numbered(torch.stack([c, heard], dim=1))
        if int(finer.max()) + 1 == kinds:
            return c
        c, kinds = finer, int(finer.max()) + 1
    return c


def wl_histograms(
    graph: Graph, other: Graph, *, rounds: int | None = None
) -> tuple[list[int], list[int]]:
    """How often each colour comes in the two graphs, refined together so that names agree.

    Example:
        >>> path, star = [(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]
        >>> wl_histograms(Graph.of_edges(4, path), Graph.of_edges(4, star))
        ([2, 2, 0, 0], [0, 0, 1, 3])
    """
    c = wl_refine(graph.union(other), rounds=rounds)
    kinds = int(c.max()) + 1
    first = torch.bincount(c[: graph.M], minlength=kinds)
    return first.tolist(), torch.bincount(c[graph.M :], minlength=kinds).tolist()


def wl_equivalent(graph: Graph, other: Graph) -> bool:
    """Whether the test cannot tell the graphs apart. False proves that they are not isomorphic.

    Example:
        >>> six = Graph.of_edges(6, [(i, (i + 1) % 6) for i in range(6)])
        >>> triangle = Graph.of_edges(3, [(0, 1), (1, 2), (0, 2)])
        >>> wl_equivalent(six, triangle.union(triangle)), triangle.union(triangle).is_connected
        (True, False)

    :covers: weisfeiler-lehman-test
    """
    first, second = wl_histograms(graph, other)
    return first == second


def _numbered(keys: Int[Tensor, "M k"]) -> Int[Tensor, " M"]:
    """Equal rows get equal numbers, counted in the order in which they first come."""
    _, inverse = torch.unique(keys, dim=0, return_inverse=True)
    first = torch.full((int(inverse.max()) + 1,), len(keys), dtype=torch.int64)
    first.scatter_reduce_(0, inverse, torch.arange(len(keys)), "amin")
    return torch.argsort(torch.argsort(first))[inverse]


def _words(kinds: int, t: int) -> Int[Tensor, " kinds"]:
    """A 64-bit word for each colour, fixed for all graphs and other in every round."""
    rng = torch.Generator().manual_seed(0x5DEECE66D + t)
    return torch.randint(-(2**63), 2**63 - 1, (kinds,), generator=rng)
