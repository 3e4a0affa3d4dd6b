r"""Undirected graphs with sparse adjacency.

A graph :math:`G=(V,E)` on :math:`M` nodes is kept as its edges :math:`\{i,j\}`, :math:`i<j`; the
adjacency matrix :math:`A` is symmetric with entries 0 and 1 and a zero diagonal. Relabelling by a
permutation matrix :math:`P` maps features and graph to :math:`(PX, PAP^\top)`.

Everything here costs O(M + E) time and memory, up to a sort; nothing is dense unless its name
says so.

:source: Perez Jensen (2025), Deep Learning, Section 7.4, Definition 7.3.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from corollary.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph without loops; make one by :meth:`of_edges` or :meth:`of_adjacency`.

    Example:
        >>> g = Graph.of_edges(3, [(0, 1), (2, 1)])
        >>> g.M, len(g.edges), g.degrees.tolist()
        (3, 2, [1, 2, 1])
        >>> g.dense()
        tensor([[0., 1., 0.],
                [1., 0., 1.],
                [0., 1., 0.]], dtype=torch.float64)

    :covers: graph-structure
    """

    M: int  # nodes, numbered from 0
    edges: Int[Tensor, "e 2"]  # each edge once, the smaller node first, in order
    memo: dict[Hashable, Any] = field(default_factory=dict, repr=False)  # matrices made so far

    @classmethod
    def of_edges(cls, M: int, edges: Sequence[Sequence[int]] | Int[Tensor, "e 2"]) -> "Graph":
        """The graph of unordered pairs; a pair that comes twice, in any order, is one edge.

        Raises:
            InputError: for a node that is not there, or a loop.
        """
        if M < 1:
            raise InputError(f"a graph needs at least one node, got M={M}")
        pairs = torch.as_tensor(edges, dtype=torch.int64).reshape(-1, 2)
        if len(pairs) and not (0 <= int(pairs.min()) and int(pairs.max()) < M):
            bad = int(pairs.min()) if int(pairs.min()) < 0 else int(pairs.max())
            raise InputError(f"nodes are 0 to {M - 1}, but an edge names node {bad}")
        loops = pairs[pairs[:, 0] == pairs[:, 1]]
        if len(loops):
            raise InputError(
                f"expected a graph without self-loops, but node {int(loops[0, 0])} has one; "
                "layers that need self-loops add them themselves"
            )
        low, high = pairs.min(dim=1).values, pairs.max(dim=1).values
        keys = torch.unique(low * M + high)  # sorted
        return cls(M, torch.stack([keys // M, keys % M], dim=1))

    @classmethod
    def of_adjacency(cls, A: Shaped[Tensor, "M M"], *, symmetrise: bool = False) -> "Graph":
        """The graph of a symmetric 0/1 matrix, dense or sparse.

        With ``symmetrise`` a directed graph loses its directions; without it one is refused.
        """
        A = A.to_sparse_coo().coalesce()
        values, (row, col) = A.values(), A.indices()
        if not bool(((values == 0) | (values == 1)).all()):
            raise InputError("expected an adjacency matrix with entries 0 and 1, got other values")
        row, col = row[values == 1], col[values == 1]
        M = A.shape[0]
        there, back = torch.sort(row * M + col).values, torch.sort(col * M + row).values
        if not symmetrise and not torch.equal(there, back):
            raise InputError(
                "the adjacency matrix of an undirected graph is symmetric, but this one is "
                "not; pass symmetrise=True to ignore the directions"
            )
        return cls.of_edges(M, torch.stack([row, col], dim=1))

    @property
    def degrees(self) -> Int[Tensor, " M"]:
        """Number of neighbours of each node; they add up to twice the number of edges."""
        return torch.bincount(self.edges.reshape(-1), minlength=self.M)

    @property
    def arcs(self) -> Int[Tensor, "2 a"]:
        """Each edge both ways, as (node, neighbour), sorted by node and then by neighbour."""
        return self.remember("arcs", _arcs, self)

    def adjacency(self, dtype: torch.dtype = torch.float64) -> Float[Tensor, "M M"]:
        """The matrix A as a coalesced sparse tensor; made once."""
        return self.remember(("adjacency", dtype), _adjacency, self, dtype)

    def dense(self, dtype: torch.dtype = torch.float64) -> Float[Tensor, "M M"]:
        """The matrix A with all its zeros: O(M^2) memory."""
        return self.adjacency(dtype).to_dense()

    def matrix(
        self, values: Float[Tensor, " a"], diagonal: Float[Tensor, " M"] | None = None
    ) -> Float[Tensor, "M M"]:
        """A sparse matrix with a value on each arc and, if given, on the diagonal."""
        where, size = self.arcs, (self.M, self.M)
        if diagonal is None:
            return torch.sparse_coo_tensor(
                where, values, size, is_coalesced=True, check_invariants=False
            )
        loops = torch.arange(self.M, device=where.device).expand(2, -1)
        where, values = torch.cat([where, loops], dim=1), torch.cat([values, diagonal])
        return torch.sparse_coo_tensor(where, values, size, check_invariants=False).coalesce()

    def relabel(self, perm: Int[Tensor, " M"]) -> "Graph":
        r"""The graph of :math:`PAP^\top`: node ``a`` of it is node ``perm[a]`` of this one.

        Features follow as ``X[perm]``. Relabelling by p and then by q is relabelling by ``p[q]``.
        """
        perm = perm.to(self.edges.device)
        if not torch.equal(perm.sort().values, torch.arange(self.M, device=perm.device)):
            raise InputError(f"a relabelling lists each of 0 to {self.M - 1} once")
        return Graph.of_edges(self.M, torch.argsort(perm)[self.edges])

    def union(self, other: "Graph") -> "Graph":
        """Both graphs side by side, no edge between them; so a batch of graphs is a graph."""
        return Graph.of_edges(self.M + other.M, torch.cat([self.edges, other.edges + self.M]))

    def components(self) -> Int[Tensor, " M"]:
        """The number of each node's connected component, from 0."""
        from scipy.sparse.csgraph import connected_components

        _, labels = connected_components(_scipy(self), directed=False)
        return torch.from_numpy(labels).long()

    @property
    def is_connected(self) -> bool:
        """Whether every node can be reached from every other."""
        return bool((self.components() == 0).all())

    def distances(self, sources: Sequence[int] | None = None) -> Float[Tensor, "s M"]:
        """Hops from each source (all nodes if absent) to each node; infinite if there is no way.

        Cost: O(s (M + E)) time by breadth-first search, O(s M) memory.
        """
        from scipy.sparse.csgraph import dijkstra

        which = range(self.M) if sources is None else sources
        return torch.from_numpy(
            dijkstra(_scipy(self), directed=False, indices=list(which), unweighted=True)
        )

    @property
    def diameter(self) -> float:
        """The largest distance, infinite if the graph is not connected. O(M (M + E))."""
        return float(self.distances().max())

    def remember(self, key: Hashable, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What ``make(*args)`` gives, computed once for this graph."""
        if key not in self.memo:
            self.memo[key] = make(*args, **kwargs)
        made: T = self.memo[key]
        return made

    def to(self, device: torch.device | str) -> "Graph":
        """The same graph with its edges on ``device``."""
        return Graph(self.M, self.edges.to(device))


def _arcs(graph: Graph) -> Tensor:
    i, j = graph.edges.T
    keys = torch.sort(torch.cat([i * graph.M + j, j * graph.M + i])).values
    return torch.stack([keys // graph.M, keys % graph.M])


def _adjacency(graph: Graph, dtype: torch.dtype) -> Tensor:
    return graph.matrix(torch.ones(2 * len(graph.edges), dtype=dtype, device=graph.edges.device))


def _scipy(graph: Graph) -> Any:
    """The upper triangle of A for scipy's searches, which are told that edges go both ways."""
    import numpy as np
    from scipy.sparse import csr_matrix

    i, j = graph.edges.cpu().numpy().T
    return csr_matrix((np.ones(len(i)), (i, j)), shape=(graph.M, graph.M))
