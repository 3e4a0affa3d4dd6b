r"""Graphs to try things on: cycles, paths, complete graphs, barbells, trees, and random ones.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Erdos and Renyi (1959), "On random
    graphs I"; Holland, Laskey and Leinhardt (1983), "Stochastic blockmodels: first steps".
"""

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph
from corollary.theory.seeding import as_generator


def cycle_graph(M: int) -> Graph:
    """Nodes in a ring, at least three.

    Example:
        >>> cycle_graph(5).degrees.tolist()
        [2, 2, 2, 2, 2]

    :covers: graph-structure
    """
    _at_least(M, 3, "a cycle")
    i = torch.arange(M)
    return Graph.of_edges(M, torch.stack([i, (i + 1) % M], dim=1))


def path_graph(M: int) -> Graph:
    """Nodes in a row.

    Example:
        >>> path_graph(4).edges.tolist()
        [[0, 1], [1, 2], [2, 3]]
    """
    _at_least(M, 1, "a path")
    i = torch.arange(M - 1)
    return Graph.of_edges(M, torch.stack([i, i + 1], dim=1))


def complete_graph(M: int) -> Graph:
    """Every pair of nodes joined: M (M - 1) / 2 edges.

    Example:
        >>> len(complete_graph(5).edges)
        10
    """
    _at_least(M, 1, "a complete graph")
    return Graph.of_edges(M, torch.triu_indices(M, M, 1).T)


def complete_bipartite_graph(a: int, b: int) -> Graph:
    """Each of ``a`` nodes joined to each of ``b`` others; ``a = 1`` is a star.

    Example:
        >>> complete_bipartite_graph(1, 3).degrees.tolist()
        [3, 1, 1, 1]
    """
    _at_least(min(a, b), 1, "each side of a bipartite graph")
    return Graph.of_edges(a + b, torch.cartesian_prod(torch.arange(a), a + torch.arange(b)))


def barbell_graph(k: int, bridge: int = 0) -> Graph:
    """Two complete graphs of ``k`` nodes, joined by a path of ``bridge`` nodes between them.

    Example:
        >>> g = barbell_graph(3, bridge=1)
        >>> g.M, len(g.edges), g.diameter
        (7, 8, 4.0)
    """
    _at_least(k, 2, "a bell")
    bell = complete_graph(k).edges
    rod = torch.arange(k - 1, k + bridge)
    path = torch.stack([rod, rod + 1], dim=1)
    return Graph.of_edges(2 * k + bridge, torch.cat([bell, path, bell + k + bridge]))


def binary_tree(depth: int) -> Graph:
    """The complete binary tree; node 0 is the root, the children of i are 2 i + 1 and 2 i + 2.

    Example:
        >>> binary_tree(2).degrees.tolist()
        [2, 3, 3, 1, 1, 1, 1]
    """
    if depth < 0:
        raise InputError(f"the depth of a tree must not be negative, got {depth}")
    child = torch.arange(1, 2 ** (depth + 1) - 1)
    return Graph.of_edges(len(child) + 1, torch.stack([(child - 1) // 2, child], dim=1))


def erdos_renyi(M: int, p: float, *, rng: int | Generator = 0) -> Graph:
    """Each pair joined with probability ``p``, independently. O(M + E) for small p.

    The number of edges is binomial, and which pairs they are is drawn without replacement.

    Example:
        >>> erdos_renyi(6, 1.0, rng=torch.Generator().manual_seed(0)).degrees.tolist()
        [5, 5, 5, 5, 5, 5]
    """
    rng = as_generator(rng)
    _at_least(M, 1, "a random graph")
    _probability(p)
    pairs = M * (M - 1) // 2
    return Graph.of_edges(M, _pair(_some(pairs, p, rng)))


def block_model(
    sizes: Sequence[int], within: float, between: float, *, rng: int | Generator = 0
) -> tuple[Graph, Int[Tensor, " M"]]:
    """The stochastic block model: pairs of one block joined with probability ``within``.

    Pairs of different blocks are joined with probability ``between``. Returns the graph and the
    block of each node, blocks one after the other.

    Example:
        >>> g, block = block_model([2, 3], 1.0, 0.0, rng=torch.Generator().manual_seed(0))
        >>> g.edges.tolist(), block.tolist()
        ([[0, 1], [2, 3], [2, 4], [3, 4]], [0, 0, 1, 1, 1])
    """
    rng = as_generator(rng)
    _at_least(min(sizes, default=0), 1, "each block")
    _probability(within)
    _probability(between)
    starts = torch.tensor([0, *sizes]).cumsum(0)
    parts = []
    for a, n in enumerate(sizes):
        parts.append(_pair(_some(n * (n - 1) // 2, within, rng)) + starts[a])
        for b in range(a + 1, len(sizes)):
            cell = _some(n * sizes[b], between, rng)
            row, column = cell // sizes[b] + starts[a], cell % sizes[b] + starts[b]
            parts.append(torch.stack([row, column], dim=1))
    block = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(list(sizes)))
    return Graph.of_edges(int(starts[-1]), torch.cat(parts)), block


def _some(n: int, p: float, rng: Generator) -> Int[Tensor, " k"]:
    """Each of 0, ..., n-1 with probability p: gaps between chosen ones are geometric."""
    if n == 0 or p == 0:
        return torch.empty(0, dtype=torch.int64)
    if p == 1:
        return torch.arange(n)
    chosen, last, log_q = [], -1, torch.log1p(torch.tensor(-p, dtype=torch.float64))
    while last < n:
        draws = int(1.1 * p * (n - last)) + 16
        u = torch.rand(draws, generator=rng, device=rng.device, dtype=torch.float64).cpu()
        gaps = (torch.log1p(-u) / log_q).floor().long() + 1
        chosen.append(last + gaps.cumsum(0))
        last = int(chosen[-1][-1])
    found = torch.cat(chosen)
    return found[found < n]


def _pair(index: Int[Tensor, " k"]) -> Int[Tensor, "k 2"]:
    """The pair i < j with index i + j (j - 1) / 2."""
    j = ((1 + (1 + 8 * index.double()).sqrt()) / 2).floor().long()
    j = torch.where(j * (j - 1) // 2 > index, j - 1, j)  # the root may be rounded up
    j = torch.where(j * (j + 1) // 2 <= index, j + 1, j)  # or down
    return torch.stack([index - j * (j - 1) // 2, j], dim=1)


def _at_least(M: int, low: int, what: str) -> None:
    if M < low:
        raise InputError(f"{what} needs at least {low} nodes, got {M}")


def _probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise InputError(f"expected a probability between 0 and 1, got {p:g}")
