r"""Oversmoothing: repeated averaging over neighbours forgets the features.

On a connected graph :math:`\bar A^kX\to uu^\top X` with :math:`u=D^{1/2}\mathbf{1}/\|\cdot\|`, and

.. math:: \|\bar A^kX-uu^\top X\|_F\le\lambda^k\|X-uu^\top X\|_F,

where :math:`\lambda<1` is the largest modulus among the other eigenvalues: all nodes end up with
the same features, up to the root of their degree. The Dirichlet energy
:math:`E(X)=\operatorname{tr}X^\top(I-\bar A)X=\sum_{\{i,j\}}\|x_i/\sqrt{d_i}-x_j/\sqrt{d_j}\|^2`
tends to zero at the rate :math:`\lambda^{2k}`. Averaging with the step before replaces each
eigenvalue by :math:`(1+\lambda_i)/2`, which is slower but ends the same; returning a share
:math:`\alpha` of the *first* features at each step ends elsewhere.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Li, Han and Wu (2018), "Deeper insights
    into graph convolutional networks"; Klicpera, Bojchevski and Guennemann (2019), "Predict then
    propagate".
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.normalised_adjacency import gcn_norm, steady_direction

Residual = Literal["none", "previous", "first"]


@dataclass(frozen=True)
class Oversmoothing:
    """What is left of the features after 0, 1, ..., K rounds."""

    distance: Float[Tensor, " K"]  # to the limit, Frobenius
    energy: Float[Tensor, " K"]  # Dirichlet energy
    features: Float[Tensor, "M d"]  # after the last round


def dirichlet_energy(graph: Graph, X: Float[Tensor, "M d"]) -> Float[Tensor, ""]:
    r"""The energy :math:`\sum_{\{i,j\}\in E}\|x_i/\sqrt{d_i}-x_j/\sqrt{d_j}\|^2`, d with loops.

    Example:
        >>> g = Graph.of_edges(2, [(0, 1)])
        >>> dirichlet_energy(g, torch.tensor([[1.0], [-1.0]]).double())  # (2/√2)²
        tensor(2.0000, dtype=torch.float64)
    """
    y = X / (1 + graph.degrees).to(X.dtype).sqrt()[:, None]
    i, j = graph.edges.T
    return ((y[i] - y[j]) ** 2).sum()


def oversmoothing_curve(
    graph: Graph,
    X: Float[Tensor, "M d"],
    K: int,
    *,
    residual: Residual = "none",
    alpha: float = 0.1,
) -> Oversmoothing:
    r"""Distance to :math:`uu^\top X` and Dirichlet energy over ``K`` rounds. O(K d (M + E)).

    Args:
        graph: Need not be connected; the distance is then to a limit that is not reached.
        X: Features.
        K: Rounds.
        residual: ``previous`` averages each round with the one before, ``first`` returns the
            share ``alpha`` of the first features in each round.
        alpha: That share.

    Example:
        >>> g = Graph.of_edges(3, [(0, 1), (1, 2), (0, 2)])
        >>> curve = oversmoothing_curve(g, torch.eye(3, dtype=torch.float64), 2)
        >>> curve.distance.round(decimals=6).tolist()  # the triangle averages at once
        [1.414214, 0.0, 0.0]

    :covers: gcn-oversmoothing
    """
    if residual not in ("none", "previous", "first"):
        raise InputError(f"residual must be none, previous or first, got {residual!r}")
    if K < 0:
        raise InputError(f"the number of rounds must not be negative, got K={K}")
    A, u = gcn_norm(graph, X.dtype), steady_direction(graph, X.dtype)
    limit = torch.outer(u, u @ X)
    rounds, first = [X], X
    for _ in range(K):
        step = torch.sparse.mm(A, X)
        if residual == "previous":
            step = (step + X) / 2
        elif residual == "first":
            step = (1 - alpha) * step + alpha * first
        X = step
        rounds.append(X)
    distance = torch.stack([(x - limit).norm() for x in rounds])
    return Oversmoothing(distance, torch.stack([dirichlet_energy(graph, x) for x in rounds]), X)


def smoothing_rate(graph: Graph) -> float:
    r"""The largest modulus :math:`\lambda` of the eigenvalues of :math:`\bar A` other than 1.

    Eigenvalues within 1e-9 of 1 belong to the limit. Dense: O(M^3).

    Example:
        >>> round(smoothing_rate(Graph.of_edges(3, [(0, 1), (1, 2)])), 6)  # 1, 1/2, -1/6
        0.5
    """
    values = torch.linalg.eigvalsh(gcn_norm(graph).to_dense())
    below = values[values < 1 - 1e-9].abs()
    return float(below.max()) if len(below) else 0.0
