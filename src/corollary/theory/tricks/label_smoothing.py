r"""Label smoothing: targets that admit to being wrong.

A class y becomes the distribution :math:`\Pi e_y`, with a column-stochastic matrix :math:`\Pi`
(entry (i, y): how often y should have been i). The minimiser of the cross-entropy with smoothed
targets is :math:`\operatorname{softmax}=\Pi\,p(\cdot\mid x)`. For
:math:`\Pi=(1-\epsilon)I+\frac\epsilon k\mathbf1\mathbf1^\top` and certain labels the best logits
differ by the finite gap

.. math:: \ln\frac{1-\epsilon+\epsilon/k}{\epsilon/k} .

:source: Perez Jensen (2025), Deep Learning, Section 8.8; Szegedy, Vanhoucke, Ioffe, Shlens and
    Wojna (2016), "Rethinking the inception architecture for computer vision", Section 7.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def uniform_smoothing(
    k: int, eps: float, *, dtype: torch.dtype = torch.float64
) -> Float[Tensor, "k k"]:
    r"""The matrix :math:`(1-\epsilon)I+\frac\epsilon k\mathbf1\mathbf1^\top`.

    Example:
        >>> uniform_smoothing(2, 0.5).tolist()
        [[0.75, 0.25], [0.25, 0.75]]
    """
    if k < 1 or not 0 <= eps <= 1:
        raise InputError(f"smoothing needs k >= 1 and eps in [0, 1], got k={k}, eps={eps}")
    return (1 - eps) * torch.eye(k, dtype=dtype) + torch.full((k, k), eps / k, dtype=dtype)


def check_stochastic(Pi: Float[Tensor, "k k"]) -> None:
    """Refuse a matrix whose columns are no distributions.

    Example:
        >>> check_stochastic(torch.eye(3))
    """
    if bool((Pi < 0).any()) or not bool(Pi.isfinite().all()):
        raise InputError("Pi must have finite entries >= 0")
    total = Pi.sum(dim=0)
    off = (total - 1).abs() > 64 * torch.finfo(Pi.dtype).eps * len(Pi)
    if bool(off.any()):
        y = int(off.nonzero()[0])
        raise InputError(f"each column of Pi must sum to 1, but column {y} sums to {total[y]:g}")


def smoothed(p: Float[Tensor, "*n k"], Pi: Float[Tensor, "k k"]) -> Float[Tensor, "*n k"]:
    r"""The distributions :math:`\Pi p`: targets, and what the best prediction is.

    Example:
        >>> smoothed(torch.tensor([1.0, 0.0]).double(), uniform_smoothing(2, 0.5)).tolist()
        [0.75, 0.25]
    """
    check_stochastic(Pi)
    return p @ Pi.T


def optimal_gap(k: int, eps: float) -> float:
    """How far the logit of a certain label lies above the others at the optimum.

    Example:
        >>> round(optimal_gap(2, 0.5), 6)  # ln 3
        1.098612
    """
    if k < 2 or not 0 <= eps <= 1:
        raise InputError(f"a gap needs k >= 2 and eps in [0, 1], got k={k}, eps={eps}")
    return math.inf if eps == 0 else math.log((1 - eps + eps / k) / (eps / k))
