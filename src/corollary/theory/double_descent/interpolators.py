r"""Three ways to pass through noisy points on a line, and what noise does to each.

Each predictor is linear in the labels, :math:`\hat f(x)=\sum_is_i(x)y_i`, so noise of variance
:math:`\sigma^2` adds :math:`\sigma^2\sum_is_i(x)^2` to the risk at x, on average:

* weights in the proportion :math:`|x-x_i|^{-a}` (Nadaraya and Watson, with a singular kernel);
  :math:`a=d` is benign, larger powers behave like nearest neighbours;
* straight lines between neighbours: 2/3 of the noise, tempered;
* the polynomial of degree n - 1: catastrophic at equispaced nodes.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.3, Figure 13.3; Mallinar, Simon,
    Abedsoltan, Pandit, Belkin and Nakkiran (2022), "Benign, tempered, or catastrophic: a taxonomy
    of overfitting"; Devroye, Györfi and Krzyżak (1998), "The Hilbert kernel regression estimate";
    Berrut and Trefethen (2004), "Barycentric Lagrange interpolation"; Higham (2004), "The numerical
    stability of barycentric Lagrange interpolation".
:covers: overfitting-taxonomy
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def singular_kernel_weights(
    nodes: Float[Tensor, "n d"], x: Float[Tensor, "m d"], a: float | None = None
) -> Float[Tensor, "m n"]:
    r"""Weights :math:`s_i(x)\propto\|x-x_i\|^{-a}`; at a node all weight is its own.

    Args:
        nodes: Training inputs, in any dimension d.
        x: Where to predict.
        a: The power; d if absent, which is Hilbert's kernel. Memory :math:`O(mn)`.

    Example:
        >>> nodes = torch.tensor([[0.0], [1.0]])
        >>> singular_kernel_weights(nodes, torch.tensor([[0.25], [1.0]])).tolist()
        [[0.75, 0.25], [0.0, 1.0]]
    """
    a = nodes.shape[1] if a is None else a
    if not a > 0:
        raise InputError(f"the power of a singular kernel must be positive, got {a}")
    distance = torch.cdist(x, nodes, compute_mode="donot_use_mm_for_euclid_dist")
    nearest = distance.amin(dim=1, keepdim=True)
    at_node = nearest == 0
    # Relative to the nearest node: at most 1, so that no power overflows.
    ratio = torch.where(at_node, 1.0, nearest) / torch.where(distance == 0, 1.0, distance)
    raw = torch.where(at_node, (distance == 0).to(x), ratio**a)
    return raw / raw.sum(dim=1, keepdim=True)


def linear_weights(nodes: Float[Tensor, " n"], x: Float[Tensor, " m"]) -> Float[Tensor, "m n"]:
    r"""Weights of the straight lines between neighbouring nodes; nodes sorted, x between them.

    Example:
        >>> linear_weights(torch.tensor([0.0, 1.0, 3.0]), torch.tensor([0.25, 2.0])).tolist()
        [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5]]
    """
    _check_nodes(nodes)
    if bool((x < nodes[0]).any() | (x > nodes[-1]).any()):
        raise InputError(f"x must lie between the nodes, in [{nodes[0]:g}, {nodes[-1]:g}]")
    right = torch.searchsorted(nodes, x.contiguous()).clamp(1, len(nodes) - 1)
    share = (x - nodes[right - 1]) / (nodes[right] - nodes[right - 1])
    out = x.new_zeros(len(x), len(nodes))
    out.scatter_(1, (right - 1)[:, None], (1 - share)[:, None])
    return out.scatter_(1, right[:, None], share[:, None])


def polynomial_weights(nodes: Float[Tensor, " n"], x: Float[Tensor, " m"]) -> Float[Tensor, "m n"]:
    r"""Lagrange's basis of degree n - 1 at x, by the first barycentric formula.

    :math:`\ell_i(x)=b_i\prod_{j\ne i}(x-x_j)` with :math:`b_i=\prod_{j\ne i}(x_i-x_j)^{-1}`, both
    as sums of logarithms. Each entry has its digits, also where the basis is as large as
    :math:`2^n`; the second formula, divided by its own sum, has not (Higham, 2004), and solving for
    the coefficients loses all digits beyond some 30 nodes.

    Example:
        >>> nodes = torch.tensor([-1.0, 0.0, 1.0])
        >>> polynomial_weights(nodes, torch.tensor([2.0])).round(decimals=4).tolist()
        [[1.0, -3.0, 3.0]]
    """
    _check_nodes(nodes)
    gaps = nodes[:, None] - nodes
    gaps.fill_diagonal_(1.0)
    away = x[:, None] - nodes
    at_node = away == 0
    away = torch.where(at_node, 1.0, away)
    logs = away.abs().log()
    size = logs.sum(dim=1, keepdim=True) - logs - gaps.abs().log().sum(dim=1)
    sign = away.sign().prod(dim=1, keepdim=True) * away.sign() * gaps.sign().prod(dim=1)
    found = at_node.any(dim=1, keepdim=True)
    return torch.where(found, at_node.to(x), sign * size.exp())


def noise_gain(weights: Float[Tensor, "m n"]) -> float:
    r"""The mean over x of :math:`\sum_is_i(x)^2`: risk added by noise of variance 1.

    Example:
        >>> noise_gain(torch.tensor([[0.5, 0.5], [1.0, 0.0]]))
        0.75
    """
    return float(weights.square().sum(dim=1).mean())


def _check_nodes(nodes: Tensor) -> None:
    if len(nodes) < 2 or not bool((nodes.diff() > 0).all()):
        raise InputError("expected at least two nodes in strictly increasing order")
