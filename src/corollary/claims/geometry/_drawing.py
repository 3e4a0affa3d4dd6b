"""Where to put the nodes of a graph on paper."""

from collections.abc import Sequence

import torch
from torch import Tensor

from corollary.core import Graph as GraphMark
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import fourier_basis


def on_a_circle(M: int, *, x: float = 0.0, y: float = 0.0, r: float = 1.0) -> Tensor:
    """Places of M nodes around (x, y), the first on top."""
    angle = 2 * torch.pi * torch.arange(M, dtype=torch.float64) / M
    return torch.stack([x + r * angle.sin(), y + r * angle.cos()], dim=1)


def by_springs(graph: Graph, rounds: int = 120) -> Tensor:
    """Places where edges pull and all nodes push each other away, from the slowest modes on.

    After Fruchterman and Reingold (1991), "Graph drawing by force-directed placement". O(M^2) a
    round.
    """
    x = fourier_basis(graph, normalized=True).modes[:, 1:3].clone()
    x = x / x.norm(dim=0) * graph.M**0.5
    A = graph.dense()
    for t in range(rounds):
        apart = x[:, None] - x[None]
        distance = apart.norm(dim=2).clamp(min=1e-2)
        push = (apart / distance[..., None] ** 2).sum(dim=1)
        pull = (A[..., None] * apart * distance[..., None]).sum(dim=1)
        force = push - pull
        longest = 0.3 * (1 - t / rounds)  # steps become shorter
        x = x + force * (longest / force.norm(dim=1, keepdim=True).clamp(min=longest))
    out: Tensor = x - x.mean(dim=0)
    return out


def drawn(graph: Graph, places: Tensor, label: str, names: Sequence[str] = ()) -> GraphMark:
    """The graph with its nodes at the given places."""
    return GraphMark(
        places[:, 0].tolist(), places[:, 1].tolist(), graph.edges.tolist(), names=names, label=label
    )
