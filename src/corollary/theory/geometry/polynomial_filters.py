r"""Filters that need no eigenvectors.

.. math:: U\Bigl(\sum_{k=0}^K\alpha_k\Lambda^k\Bigr)U^\top x=\sum_{k=0}^K\alpha_kL^kx

takes K sparse products by Horner's rule, has :math:`K+1` parameters, and its entry
:math:`(m,n)` is zero when the nodes are more than K hops apart. Powers of :math:`L` grow like the
largest degree to the K; in the Chebyshev basis
:math:`\sum_k\theta_kT_k(\tilde L)`, :math:`\tilde L=2L/\lambda-I` with
:math:`\lambda\ge\lambda_{\max}`, every term has norm at most 1.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Defferrard, Bresson and Vandergheynst
    (2016), "Convolutional neural networks on graphs with fast localized spectral filtering".
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph


def polynomial_filter(
    L: Float[Tensor, "M M"], alpha: Float[Tensor, " k"], x: Float[Tensor, "M d"]
) -> Float[Tensor, "M d"]:
    r"""The sum :math:`\sum_k\alpha_kL^kx` by Horner's rule: K products with L, sparse or dense.

    Example:
        >>> L = torch.tensor([[1.0, -1.0], [-1.0, 1.0]], dtype=torch.float64)
        >>> x = torch.tensor([[1.0], [0.0]], dtype=torch.float64)
        >>> polynomial_filter(L, torch.tensor([1.0, -0.5]).double(), x).flatten().tolist()
        [0.5, 0.5]

    :covers: polynomial-graph-filter
    """
    if len(alpha) == 0:
        raise InputError("a polynomial needs at least its constant coefficient, got none")
    out = alpha[-1] * x
    for a in alpha[:-1].flip(0):
        out = L @ out + a * x
    return out


def chebyshev_stack(
    L: Float[Tensor, "M M"], x: Float[Tensor, "M d"], K: int, largest: float
) -> Float[Tensor, "k M d"]:
    r"""The terms :math:`T_0(\tilde L)x,\dots,T_K(\tilde L)x` by the three-term recursion.

    Args:
        L: Laplacian.
        x: Signals.
        K: Degree.
        largest: A number not below the largest eigenvalue of L (:func:`frequency_bound`).
    """
    if K < 0 or not largest > 0:
        raise InputError(f"K >= 0 and largest > 0 are needed, got K={K}, largest={largest:g}")

    def shifted(y: Tensor) -> Tensor:
        return 2 / largest * (L @ y) - y

    terms = [x, shifted(x)][: K + 1]
    while len(terms) <= K:
        terms.append(2 * shifted(terms[-1]) - terms[-2])
    return torch.stack(terms)


def power_stack(L: Float[Tensor, "M M"], x: Float[Tensor, "M d"], K: int) -> Float[Tensor, "k M d"]:
    """The terms ``x, L x, ..., L^K x``."""
    if K < 0:
        raise InputError(f"the degree must not be negative, got K={K}")
    terms = [x]
    for _ in range(K):
        terms.append(L @ terms[-1])
    return torch.stack(terms)


def frequency_bound(graph: Graph, *, normalized: bool = False) -> float:
    r"""No eigenvalue of the Laplacian is above this: :math:`\max_{\{i,j\}\in E}(d_i+d_j)`, or 2.

    Attained by complete bipartite regular graphs; for a graph without edges it is 1, as a divisor
    should be. O(E).

    Example:
        >>> frequency_bound(Graph.of_edges(3, [(0, 1), (1, 2)]))  # the eigenvalues are 0, 1, 3
        3.0

    :source: Anderson and Morley (1985), "Eigenvalues of the Laplacian of a graph".
    """
    if len(graph.edges) == 0:
        return 1.0
    return 2.0 if normalized else float(graph.degrees[graph.edges].sum(dim=1).max())
