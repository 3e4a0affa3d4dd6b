r"""The Laplacian of a graph.

.. math:: L=D-A,\quad D=\operatorname{diag}(A\mathbf{1}),\qquad
   x^\top Lx=\sum_{\{i,j\}\in E}(x_i-x_j)^2\ge0 .

:math:`L\mathbf{1}=0`, and the multiplicity of the eigenvalue 0 is the number of connected
components. The normalised form :math:`I-D^{-1/2}AD^{-1/2}` has its spectrum in :math:`[0,2]`, and
2 is an eigenvalue iff a component with an edge is bipartite. :math:`L` is the graph's version of
:math:`-\Delta`.

:source: Perez Jensen (2025), Deep Learning, Section 7.5, Definition 7.7; Chung (1997), "Spectral
    graph theory", Lemma 1.7.
:erratum: [notation] "D is the degree matrix" was introduced for GCNs as degree + 1, for the loops,
    and the symbol is used again for L = D - A, where the plain degrees are meant: with the other D
    the rows of L sum to 1 in place of 0.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.geometry.graph import Graph


def laplacian(
    graph: Graph, *, normalized: bool = False, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "M M"]:
    """The Laplacian as a sparse tensor; made once for a graph. O(M + E).

    An isolated node has a row of zeros in both forms: it is a component of its own, and so has to
    give an eigenvalue 0 (as in scipy and networkx).

    Example:
        >>> path = Graph.of_edges(3, [(0, 1), (1, 2)])
        >>> laplacian(path).to_dense().tolist()
        [[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]

    :covers: graph-laplacian
    """
    key = ("laplacian", normalized, dtype)
    return graph.remember(key, _laplacian, graph, normalized, dtype)


def _laplacian(graph: Graph, normalized: bool, dtype: torch.dtype) -> Tensor:
    degrees = graph.degrees.to(dtype)
    node, neighbour = graph.arcs
    if not normalized:
        return graph.matrix(-torch.ones_like(node, dtype=dtype), degrees)
    scale = degrees.clamp(min=1).rsqrt()
    return graph.matrix(-scale[node] * scale[neighbour], (degrees > 0).to(dtype))


def quadratic_form(graph: Graph, x: Float[Tensor, "M *d"]) -> Float[Tensor, "*d"]:
    r"""The sum :math:`\sum_{\{i,j\}\in E}(x_i-x_j)^2`, edge by edge; no Laplacian is made.

    Example:
        >>> path = Graph.of_edges(3, [(0, 1), (1, 2)])
        >>> quadratic_form(path, torch.tensor([0.0, 1.0, 3.0])).item()
        5.0

    :covers: graph-laplacian
    """
    i, j = graph.edges.T
    return ((x[i] - x[j]) ** 2).sum(dim=0)
