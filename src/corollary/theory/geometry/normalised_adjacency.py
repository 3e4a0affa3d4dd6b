r"""The coupling matrix of a graph convolutional network.

.. math:: \bar A=D^{-1/2}(A+I)D^{-1/2},\qquad d_m=1+\sum_n a_{nm}.

It is symmetric; :math:`\bar A D^{1/2}\mathbf{1}=D^{1/2}\mathbf{1}`, and with
:math:`y=D^{-1/2}x`

.. math:: \|x\|^2\mp x^\top\bar Ax=\sum_{\{i,j\}\in E}(y_i\mp y_j)^2+(1\mp1)\sum_i y_i^2 ,

so the spectrum lies in :math:`[-1+2/d_{\max},\,1]`: the largest eigenvalue is 1, and -1 is never
reached because of the loops.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Kipf and Welling (2017),
    "Semi-supervised classification with graph convolutional networks".
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.geometry.graph import Graph


def gcn_norm(graph: Graph, dtype: torch.dtype = torch.float64) -> Float[Tensor, "M M"]:
    r"""The matrix :math:`\bar A` as a sparse tensor; made once for a graph. O(M + E).

    Example:
        >>> gcn_norm(Graph.of_edges(3, [(0, 1)])).to_dense()
        tensor([[0.5000, 0.5000, 0.0000],
                [0.5000, 0.5000, 0.0000],
                [0.0000, 0.0000, 1.0000]], dtype=torch.float64)

    :covers: gcn-coupling-matrix
    """
    return graph.remember(("gcn_norm", dtype), _gcn_norm, graph, dtype)


def _gcn_norm(graph: Graph, dtype: torch.dtype) -> Tensor:
    scale = (1 + graph.degrees).to(dtype).rsqrt()
    node, neighbour = graph.arcs
    return graph.matrix(scale[node] * scale[neighbour], scale**2)


def steady_direction(graph: Graph, dtype: torch.dtype = torch.float64) -> Float[Tensor, " M"]:
    r"""The unit vector :math:`u=D^{1/2}\mathbf{1}/\|D^{1/2}\mathbf{1}\|` that the matrix keeps.

    Example:
        >>> steady_direction(Graph.of_edges(3, [(0, 1)]))**2 * 5
        tensor([2.0000, 2.0000, 1.0000], dtype=torch.float64)
    """
    root = (1 + graph.degrees).to(dtype).sqrt()
    length: Tensor = root.norm()
    return root / length


def lowest_coupling(graph: Graph) -> float:
    r"""The bound :math:`-1+2/d_{\max}` from below on the spectrum, with loops counted.

    Example:
        >>> lowest_coupling(Graph.of_edges(2, [(0, 1)]))  # the eigenvalues are 0 and 1
        0.0
    """
    return -1.0 + 2.0 / (1 + int(graph.degrees.max()))
