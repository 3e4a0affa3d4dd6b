r"""Gaussian expectations of the ReLU: the arc-cosine kernels of order 0 and 1.

For standard normal :math:`(z, z')` with correlation u,

.. math:: E[1_{z>0}1_{z'>0}] = \frac{\pi - \arccos u}{2\pi}, \qquad
          E[z_+z'_+] = \frac{\sqrt{1-u^2} + u(\pi - \arccos u)}{2\pi}.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 1d; Perez Jensen (2025),
    Deep Learning, Section 9; Cho and Saul (2009), "Kernel methods for deep learning", Eqs. 5-6.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

SLACK = 1e-6  # correlations may pass 1 by rounding, not by more


def relu_dual(u: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The expectation of the product of two ReLUs at correlation u.

    Example:
        >>> relu_dual(torch.tensor([1.0, -1.0])).tolist()
        [0.5, 0.0]

    :covers: relu-arc-cosine-expectations
    """
    u = _clipped(u)
    return ((1 - u * u).clamp(min=0).sqrt() + u * (math.pi - torch.acos(u))) / (2 * math.pi)


def relu_dual_derivative(u: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The probability that both are positive; the derivative of :func:`relu_dual`.

    Example:
        >>> relu_dual_derivative(torch.tensor([1.0, 0.0, -1.0])).tolist()
        [0.5, 0.25, 0.0]
    """
    return (math.pi - torch.acos(_clipped(u))) / (2 * math.pi)


def _clipped(u: Tensor) -> Tensor:
    if u.numel() and not bool(u.detach().abs().max() <= 1 + SLACK):
        raise InputError(
            f"correlations lie in [-1, 1], but the largest is {float(u.detach().abs().max()):g}"
        )
    return u.clamp(-1, 1)
