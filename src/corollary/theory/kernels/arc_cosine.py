r"""Gaussian expectations of the ReLU: the arc-cosine kernels of order 0 and 1.

For standard normal :math:`(z, z')` with correlation u,

.. math:: E[1_{z>0}1_{z'>0}] = \frac{\pi - \arccos u}{2\pi}, \qquad
          E[z_+z'_+] = \frac{\sqrt{1-u^2} + u(\pi - \arccos u)}{2\pi}.

The numerators are :math:`J_0` and :math:`J_1`. Near :math:`u = -1` they vanish like
:math:`\sqrt v` and :math:`v^{3/2}` with :math:`v = 1 + u`, where differences would leave only
rounding. There :math:`J_0 = \arccos(-u)` and, because :math:`J_1' = J_0`, the series of the
arcsine is integrated term by term:

.. math:: J_1 = \sqrt2\,v^{3/2}\sum_k \frac{\binom{2k}{k}}{8^k(2k+1)}\,\frac{v^k}{k + 3/2}.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 1d; Perez Jensen (2025),
    Deep Learning, Section 9; Cho and Saul (2009), "Kernel methods for deep learning", Eqs. 5-6.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

SLACK = 1e-6  # correlations may pass 1 by rounding, not by more
NEAR = 0.01  # v below which the series is used: six terms leave 1e-15, the difference 1e-14
SERIES = [math.sqrt(2) * math.comb(2 * k, k) / (8**k * (2 * k + 1) * (k + 1.5)) for k in range(6)]


def j0(u: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r""":math:`\pi - \arccos u` with full relative precision on [-1, 1].

    Example:
        >>> j0(torch.tensor([1.0, 0.0, -1.0])).div(torch.pi).tolist()
        [1.0, 0.5, 0.0]
    """
    return torch.acos(-u)


def j1(u: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r""":math:`\sqrt{1-u^2} + u(\pi - \arccos u)` with full relative precision on [-1, 1].

    Example:
        >>> v = torch.tensor([1e-12], dtype=torch.float64)
        >>> round(float(j1(v - 1) / (v**1.5 * 8**0.5 / 3)), 4)  # v itself is rounded in v - 1
        1.0
    """
    v = 1 + u
    direct = torch.addcmul((v * (1 - u)).clamp(min=0).sqrt(), u, j0(u))
    near = v < NEAR
    if not bool(near.any()):
        return direct
    series = torch.full_like(v, SERIES[-1])
    for coefficient in reversed(SERIES[:-1]):
        series = series * v + coefficient
    return torch.where(near, series * v * v.clamp(min=0).sqrt(), direct)


def relu_dual(u: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The expectation of the product of two ReLUs at correlation u.

    Example:
        >>> relu_dual(torch.tensor([1.0, -1.0])).tolist()
        [0.5, 0.0]

    :covers: relu-arc-cosine-expectations
    """
    return j1(_clipped(u)) / (2 * math.pi)


def relu_dual_derivative(u: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The probability that both are positive; the derivative of :func:`relu_dual`.

    Example:
        >>> relu_dual_derivative(torch.tensor([1.0, 0.0, -1.0])).tolist()
        [0.5, 0.25, 0.0]
    """
    return j0(_clipped(u)) / (2 * math.pi)


def _clipped(u: Tensor) -> Tensor:
    if u.numel() and not bool(u.detach().abs().max() <= 1 + SLACK):
        raise InputError(f"expected correlations in [-1, 1], got {float(u.detach().abs().max()):g}")
    return u.clamp(-1, 1)
