r"""The linear autoencoder as formulas: loss, gradients, closed-form optimum.

With points as rows :math:`x_i` and :math:`y_i=DCx_i`, :math:`C, D^\top\in\mathbb{R}^{m\times d}`,

.. math:: L=\frac1n\sum_i\tfrac12\|x_i-y_i\|^2=\frac1{2n}\|X-Y\|_F^2,\qquad
   \frac{\partial\ell}{\partial C}=D^\top(y-x)x^\top,\quad
   \frac{\partial\ell}{\partial D}=(y-x)x^\top C^\top .

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Autoencoder.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite


def reconstruction(
    x: Float[Tensor, "n d"], y: Float[Tensor, "n d"], reduction: Literal["mean", "sum"] = "mean"
) -> Float[Tensor, ""]:
    r"""Half the squared distance, :math:`\frac12\|X-Y\|_F^2`, a point (``mean``) or in all.

    The mean is over the n points, never over coordinates; the gradient of the mean is :math:`1/n`
    times that of the sum, and the minimisers are the same.

    Example:
        >>> x, y = torch.zeros(2, 3), torch.eye(3)[:2]  # two residuals of length 1
        >>> reconstruction(x, y).item(), reconstruction(x, y, "sum").item()
        (0.5, 1.0)

    :covers: autoencoder-loss-normalisation
    :erratum: [typo] Lucchi (2025) writes 1/(2n) sum l_x although l_x already carries a half, and
        the matrix form 1/2 ||X - Y||_F^2 there and in the slides is n times the averaged loss. Two
        residuals of length 1: 0.25 as printed, 0.5 the mean, 1 the matrix form. The minimisers
        are the same.
    """
    if reduction not in ("mean", "sum"):
        raise InputError(f"reduction must be mean or sum, got {reduction!r}")
    total = 0.5 * (x - y).square().sum()
    return total / len(x) if reduction == "mean" else total


def autoencoder_gradients(
    C: Float[Tensor, "m d"], D: Float[Tensor, "d m"], x: Float[Tensor, "n d"]
) -> tuple[Float[Tensor, "m d"], Float[Tensor, "d m"]]:
    r"""Gradients of the mean loss in ``C`` and ``D``, without autograd.

    Example:
        >>> C, D, x = torch.tensor([[2.0]]), torch.tensor([[3.0]]), torch.tensor([[1.0]])
        >>> [g.item() for g in autoencoder_gradients(C, D, x)]  # y - x = 5
        [15.0, 10.0]

    :covers: autoencoder-gradients
    """
    z = x @ C.T  # (n, m)
    away = (z @ D.T - x) / len(x)  # (n, d), y - x
    return (away @ D).T @ x, away.T @ z


def optimal_autoencoder(
    x: Float[Tensor, "n d"], m: int
) -> tuple[Float[Tensor, "m d"], Float[Tensor, "d m"]]:
    r"""One optimal pair :math:`C=U_m^\top`, :math:`D=U_m`; :math:`O(nd\min(n,d))` operations.

    The columns of :math:`U_m` are the leading directions of the points as they are, not centred.
    For ``m > d`` the further code numbers are zero.

    Example:
        >>> C, D = optimal_autoencoder(torch.tensor([[3.0, 0.0], [0.0, 1.0]]), 1)
        >>> (D @ C).abs().tolist()  # the projection on the first axis
        [[1.0, 0.0], [0.0, 0.0]]
    """
    check_finite("x", x)
    if m < 1:
        raise InputError(f"a code needs m >= 1 numbers, got m={m}")
    d = x.shape[1]
    Ut = torch.linalg.svd(x, full_matrices=m > min(x.shape)).Vh[:m]  # (m, d), or (d, d) if m > d
    C = torch.cat([Ut, Ut.new_zeros(m - len(Ut), d)])
    return C, C.T.contiguous()
