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


def by_slow_modes(graph: Graph) -> Tensor:
    """The two slowest modes of the normalised Laplacian as coordinates."""
    modes = fourier_basis(graph, normalized=True).modes[:, 1:3]
    scale = (1 + graph.degrees).double().rsqrt()[:, None]  # spreads nodes of low degree less
    return modes * scale


def drawn(graph: Graph, places: Tensor, label: str, names: Sequence[str] = ()) -> GraphMark:
    """The graph with its nodes at the given places."""
    return GraphMark(
        places[:, 0].tolist(), places[:, 1].tolist(), graph.edges.tolist(), names=names, label=label
    )
