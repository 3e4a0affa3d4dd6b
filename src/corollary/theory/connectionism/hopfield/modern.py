r"""The continuous Hopfield network, whose update is attention.

Patterns are the rows of :math:`K \in \mathbb R^{N \times d}`, of length at most :math:`M`. The
energy of a query

.. math:: E(q) = -\tfrac1\beta \log \sum_j e^{\beta \langle k_j, q \rangle} + \tfrac12 \|q\|^2
    + \tfrac1\beta \log N + \tfrac12 M^2 \ \ge 0

is a convex function minus a convex function; linearising the second one (the concave-convex
procedure) gives the update

.. math:: q' = K^\top \operatorname{softmax}(\beta K q), \qquad
    E(q) - E(q') \ge \tfrac12 \|q' - q\|^2 .

This is one read of attention with keys and values :math:`K` and scale :math:`\beta`.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Ramsauer, Schäfl, Lehner et al. (2020),
    "Hopfield networks is all you need", Theorems 1, 3 and 4.
:covers: modern-hopfield-attention
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def attention_energy(
    K: Float[Tensor, "N d"], beta: float | int, q: Float[Tensor, "*batch d"]
) -> Float[Tensor, "*batch"]:
    r"""The energy :math:`E(q)` with its constant, so that it is never negative.

    Example:
        >>> K = torch.tensor([[1.0, 0.0]])
        >>> attention_energy(K, 2.0, torch.tensor([[1.0, 0.0], [0.0, 0.0]])).tolist()
        [0.0, 0.5]
    """
    constant = math.log(len(K)) / beta + 0.5 * (K**2).sum(-1).amax()
    soft_maximum = torch.logsumexp(beta * (q @ K.mT), -1) / beta
    return constant - soft_maximum + 0.5 * (q**2).sum(-1)


def attention_update(
    K: Float[Tensor, "N d"], beta: float | int, q: Float[Tensor, "*batch d"]
) -> Float[Tensor, "*batch d"]:
    r"""One retrieval step :math:`K^\top \operatorname{softmax}(\beta K q)`.

    Example:
        >>> K = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> attention_update(K, 1.0, torch.zeros(2)).tolist()
        [0.5, 0.5]
    """
    return torch.softmax(beta * (q @ K.mT), -1) @ K


def separation(K: Float[Tensor, "N d"]) -> Float[Tensor, " N"]:
    r"""How far each pattern stands out, :math:`\Delta_i = \min_{j \ne i} k_i^\top(k_i - k_j)`.

    Example:
        >>> separation(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).tolist()
        [4.0, 1.0]
    """
    if len(K) < 2:
        raise InputError("separation needs at least two patterns, got one")
    G = K @ K.mT
    gaps = G.diagonal()[:, None] - G
    return gaps.fill_diagonal_(math.inf).amin(1)


def one_step_error(
    K: Float[Tensor, "N d"], beta: float | int, radius: float | int
) -> Float[Tensor, " N"]:
    r"""Bound on :math:`\|q' - k_i\|` after one step from within ``radius`` of :math:`k_i`.

    .. math:: \|q' - k_i\| \le 2 M (N-1) \, e^{-\beta(\Delta_i - 2 M r)} :

    for such a query :math:`\langle k_i - k_j, q\rangle \ge \Delta_i - 2Mr`, so the softmax leaves
    at most :math:`(N-1) e^{-\beta(\Delta_i - 2Mr)}` to the others, each at most :math:`2M` away.

    Example:
        >>> K = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])  # M = 1, N = 2, separation 2
        >>> bool(torch.isclose(one_step_error(K, 1.0, 0.0)[0], 2 * torch.tensor(-2.0).exp()))
        True
    """
    M: Tensor = K.norm(dim=1).amax()
    return 2 * M * (len(K) - 1) * torch.exp(-beta * (separation(K) - 2 * M * radius))
