r"""Message passing on graphs.

.. math:: x_m'=\varphi\Bigl(x_m,\bigoplus_{n\in N(m)}\psi(x_n)\Bigr)

with sum, mean or maximum as :math:`\bigoplus`. Equivariant by construction; after k layers a node
has heard of the nodes within k hops and of no others; graphs that differ by their labelling alone
get the same features up to that labelling.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Gilmer, Schoenholz, Riley, Vinyals and
    Dahl (2017), "Neural message passing for quantum chemistry".
"""

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph

Map = Callable[[Tensor], Tensor]
Aggregation = Literal["sum", "mean", "max"]


def check_nodes(x: Tensor, graph: Graph) -> None:
    """Raise unless there is a row of features for each node."""
    if x.ndim != 2 or len(x) != graph.M:
        raise InputError(
            f"a graph of {graph.M} nodes needs features ({graph.M}, d), got {tuple(x.shape)}"
        )


def aggregate(
    z: Float[Tensor, "M d"], graph: Graph, how: Aggregation = "sum"
) -> Float[Tensor, "M d"]:
    """Sum, mean or maximum over the neighbours of each node; 0 for a node without any. O(d E).

    Example:
        >>> z = torch.tensor([[1.0], [2.0], [6.0], [7.0]])
        >>> star = Graph.of_edges(4, [(0, 1), (0, 2)])
        >>> aggregate(z, star, "mean").flatten().tolist()
        [4.0, 1.0, 1.0, 0.0]
    """
    check_nodes(z, graph)
    if how == "max":
        node, neighbour = graph.arcs
        spread = node[:, None].expand(-1, z.shape[1])
        heard = z.index_select(0, neighbour)
        return torch.zeros_like(z).scatter_reduce(0, spread, heard, "amax", include_self=False)
    total: Tensor = torch.sparse.mm(graph.adjacency(z.dtype), z)
    if how == "sum":
        return total
    if how == "mean":
        return total / graph.degrees.clamp(min=1)[:, None]
    raise InputError(f"expected neighbours combined by sum, mean or max, got {how!r}")


class MessagePassing(nn.Module):
    """One round: ``phi(x_m, aggregate of psi(x_n))``.

    Args:
        psi: From a node's features to its message.
        phi: From a node's features and what it heard, joined, to its new features.
        agg: How messages are put together.

    Example:
        >>> layer = MessagePassing(nn.Identity(), lambda z: z[:, 1:] - z[:, :1])
        >>> layer(torch.tensor([[1.0], [2.0]]), Graph.of_edges(2, [(0, 1)])).flatten().tolist()
        [1.0, -1.0]

    :covers: message-passing
    """

    def __init__(self, psi: Map, phi: Map, agg: Aggregation = "sum") -> None:
        super().__init__()
        if agg not in ("sum", "mean", "max"):
            raise InputError(f"agg must be sum, mean or max, got {agg!r}")
        self.psi, self.phi, self.agg = psi, phi, agg

    def forward(self, x: Float[Tensor, "M d"], graph: Graph) -> Float[Tensor, "M k"]:
        """The features of each node after the round."""
        check_nodes(x, graph)
        return self.phi(torch.cat([x, aggregate(self.psi(x), graph, self.agg)], dim=1))
