r"""Graph attention.

.. math:: q_{ij}=\operatorname*{softmax}_{j\in N(i)\cup\{i\}}
   \rho\bigl(u^\top[Vx_i,Vx_j,x_{ij}]\bigr),\qquad x_i'=\sum_jq_{ij}Vx_j+b,

with :math:`\rho` the leaky ReLU and optional features :math:`x_{ij}` of edges. Several heads have
their own :math:`V` and :math:`u`, and their outputs are joined or averaged. With :math:`u=0` every
neighbour counts alike: the mean over :math:`N(i)\cup\{i\}`.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Velickovic, Cucurull, Casanova, Romero,
    Lio and Bengio (2018), "Graph attention networks".
:erratum: [missing hypothesis] The notes do not say that the softmax runs over the neighbourhood
    (the features x_ij of edges suggest it). Over all nodes and without x_ij the layer ignores the
    graph: with u = 0 every node gets the mean of all nodes. [loose] "Learnable instead of fixed
    equal weights": the weights of a GCN are fixed but not equal, they are 1/sqrt(d_i d_j).
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.dropout import SparseDropout
from corollary.models.message_passing import check_nodes
from corollary.theory.geometry.graph import Graph
from corollary.theory.seeding import as_generator


def arcs_with_loops(graph: Graph) -> Tensor:
    """The pairs (i, j) with j in N(i) or j = i: the arcs in their order, then the loops."""
    return graph.remember("arcs_with_loops", _arcs_with_loops, graph)


def _arcs_with_loops(graph: Graph) -> Tensor:
    loops = torch.arange(graph.M, device=graph.edges.device).expand(2, -1)
    return torch.cat([graph.arcs, loops], dim=1)


def neighbour_softmax(scores: Float[Tensor, "a h"], node: Tensor, M: int) -> Float[Tensor, "a h"]:
    """The softmax of the scores of each node's arcs.

    Example:
        >>> scores = torch.zeros(3, 1)
        >>> neighbour_softmax(scores, torch.tensor([0, 0, 1]), 2).flatten().tolist()
        [0.5, 0.5, 1.0]
    """
    spread = node[:, None].expand_as(scores)
    top = scores.new_full((M, scores.shape[1]), -torch.inf)
    top = top.scatter_reduce(0, spread, scores.detach(), "amax")
    weight = torch.exp(scores - top[node])  # the shift cancels, also in the derivative
    total = weight.new_zeros(M, scores.shape[1]).index_add(0, node, weight)
    return weight / total[node]


class GATConv(nn.Module):
    """Attention over the neighbourhood; O(heads k (M + E)).

    Args:
        d: Features of a node.
        k: Features that each head gives.
        heads: Number of heads.
        edge_dim: Features of an edge; 0 for none.
        concat: Whether heads are joined (``heads * k`` outputs) or averaged (``k``).
        slope: Of the leaky ReLU for negative scores.
        dropout: Rate at which inputs and attention weights are dropped while training.
        bias: Whether to add one.
        rng: Draws the weights, uniform after Glorot.
        dtype: Of the weights.

    Example:
        >>> layer = GATConv(1, 1, rng=torch.Generator().manual_seed(0))
        >>> _ = layer.V.data.fill_(1.0), layer.u.data.zero_()
        >>> x = torch.tensor([[1.0], [3.0], [5.0]]).double()
        >>> layer(x, Graph.of_edges(3, [(0, 1)])).flatten().tolist()  # means over neighbourhoods
        [2.0, 2.0, 5.0]

    :covers: gat-layer
    """

    def __init__(
        self,
        d: int,
        k: int,
        *,
        heads: int = 1,
        edge_dim: int = 0,
        concat: bool = True,
        slope: float = 0.2,
        dropout: float = 0.0,
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if min(d, k, heads) < 1 or edge_dim < 0:
            raise InputError(
                f"expected d, k, heads >= 1 and edge_dim >= 0, got d={d}, k={k}, "
                f"heads={heads}, edge_dim={edge_dim}"
            )
        self.d, self.k, self.heads, self.edge_dim = d, k, heads, edge_dim
        self.concat, self.slope = concat, slope
        self.dropout = SparseDropout(dropout)

        def uniform(*shape: int) -> Tensor:
            draw = torch.rand(*shape, generator=rng, device=rng.device, dtype=dtype)
            limit: float = (6 / (shape[-2] + shape[-1])) ** 0.5
            return (2 * draw - 1) * limit

        self.V = nn.Parameter(uniform(heads, k, d))
        self.u = nn.Parameter(uniform(heads, 2 * k + edge_dim))
        width = heads * k if concat else k
        self.b = nn.Parameter(torch.zeros(width, device=rng.device, dtype=dtype)) if bias else None

    def attention(
        self,
        x: Float[Tensor, "M d"],
        graph: Graph,
        edge_features: Float[Tensor, "e f"] | None = None,
    ) -> Float[Tensor, "a h"]:
        """The weights q of each pair of :func:`arcs_with_loops`, a column per head."""
        return self._weights(self._projected(x, graph), graph, edge_features)

    def forward(
        self,
        x: Float[Tensor, "M d"],
        graph: Graph,
        edge_features: Float[Tensor, "e f"] | None = None,
    ) -> Float[Tensor, "M k"]:
        """New features; ``edge_features`` has a row for each of ``graph.edges``, loops have 0."""
        z = self._projected(self.dropout(x), graph)
        q = self.dropout(self._weights(z, graph, edge_features))
        node, neighbour = arcs_with_loops(graph)
        heard = z.index_select(0, neighbour) * q[..., None]  # (a, h, k)
        out = torch.zeros_like(z).index_add(0, node, heard)
        out = out.flatten(start_dim=1) if self.concat else out.mean(dim=1)
        return out if self.b is None else out + self.b

    def _projected(self, x: Tensor, graph: Graph) -> Tensor:
        check_nodes(x, graph)
        if x.shape[1] != self.d:
            raise InputError(f"expected {self.d} features per node, got {x.shape[1]}")
        if x.is_sparse:
            z: Tensor = x @ self.V.flatten(0, 1).T
            return z.reshape(len(x), *self.V.shape[:2])
        return torch.einsum("hkd,md->mhk", self.V, x)

    def _weights(self, z: Tensor, graph: Graph, edge_features: Tensor | None) -> Tensor:
        k = self.k
        # u^T [V x_i, V x_j] is a sum of a number of node i and a number of node j.
        own, other = (z * self.u[:, :k]).sum(dim=2), (z * self.u[:, k : 2 * k]).sum(dim=2)
        node, neighbour = arcs_with_loops(graph)
        scores = own[node] + other[neighbour]  # (a, h)
        if self.edge_dim:
            scores = scores + self._edge_scores(graph, edge_features).to(scores)
        elif edge_features is not None:
            raise InputError(
                "expected no edge features, got some; create the layer with edge_dim=<width>"
            )
        scores = nn.functional.leaky_relu(scores, self.slope)
        return neighbour_softmax(scores, node, graph.M)

    def _edge_scores(self, graph: Graph, edge_features: Tensor | None) -> Tensor:
        if edge_features is None or edge_features.shape != (len(graph.edges), self.edge_dim):
            got = "none" if edge_features is None else tuple(edge_features.shape)
            raise InputError(
                f"expected edge features ({len(graph.edges)}, {self.edge_dim}), one row per "
                f"edge, got {got}; the rows must have the order of graph.edges"
            )
        scores = edge_features @ self.u[:, 2 * self.k :].T  # (e, h)
        keys = graph.edges[:, 0] * graph.M + graph.edges[:, 1]  # ascending
        i, j = graph.arcs
        edge = torch.searchsorted(keys, torch.minimum(i, j) * graph.M + torch.maximum(i, j))
        return torch.cat([scores[edge], scores.new_zeros(graph.M, self.heads)])


class GAT(nn.Module):
    """Two attention layers with an ELU between them; gives logits.

    Example:
        >>> net = GAT(3, 4, 2, heads=2, rng=torch.Generator().manual_seed(0))
        >>> net(torch.eye(3, dtype=torch.float64), Graph.of_edges(3, [(0, 1)])).shape
        torch.Size([3, 2])
    """

    def __init__(
        self,
        d: int,
        hidden: int,
        k: int,
        *,
        heads: int = 8,
        dropout: float = 0.0,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        kind: dict[str, Any] = {"dropout": dropout, "rng": rng, "dtype": dtype}
        self.first = GATConv(d, hidden, heads=heads, **kind)
        self.second = GATConv(heads * hidden, k, concat=False, **kind)

    def forward(self, x: Float[Tensor, "M d"], graph: Graph) -> Float[Tensor, "M k"]:
        """Logits of each node."""
        logits: Tensor = self.second(nn.functional.elu(self.first(x, graph)), graph)
        return logits
