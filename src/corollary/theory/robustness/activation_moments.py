r"""The moment condition on an activation's slope.

.. math:: \mathbb E|\sigma'(Z)|^{2q}\le\frac{q!}2s^2c^{q-2}\quad(q\ge2),\qquad Z\sim\mathcal N(0,1).

Every Lipschitz activation satisfies it (a slope bounded by B gives :math:`s^2=B^4,\ c=B^2`), the
square does too, the exponential does not: its moments are :math:`e^{2q^2}`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Assumption 5; Bubeck,
    Cherapanamjeri, Gidel and Tachet des Combes (2021), "A single gradient step finds adversarial
    examples on random two-layers neural networks".
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.robustness.concentration import MomentConstants

Scalar = Callable[[Tensor], Tensor]
_REACH, _NODES = 40.0, 40_001  # of the quadrature; odd, so that 0 is a node


def log_slope_moment(derivative: Scalar, q: float | int) -> float:
    r"""The logarithm of :math:`\mathbb E|\sigma'(Z)|^{2q}`, by the trapezoidal rule.

    Exact to rounding for smooth slopes and for a step at 0; valid while the mass of the integrand
    lies within 40 standard deviations.

    Example:
        >>> round(log_slope_moment(lambda z: 2 * z, 2), 6) == round(math.log(48), 6)  # 2^4 E Z^4
        True

    :covers: activation-moment-assumption
    """
    z = torch.linspace(-_REACH, _REACH, _NODES, dtype=torch.float64)
    middle = z[_NODES // 2]
    slope = derivative(z).abs()
    # a step at 0 counts half from each side
    eps = torch.full((2,), 1e-9, dtype=torch.float64) * torch.tensor([-1.0, 1.0])
    near = derivative(middle + eps).abs() ** (2 * q)
    log_power = 2 * q * slope.log()
    log_power[_NODES // 2] = near.mean().log()
    terms = log_power - z**2 / 2 - 0.5 * math.log(2 * math.pi)
    return float(torch.logsumexp(terms, 0)) + math.log(2 * _REACH / (_NODES - 1))


def activation_moments(derivative: Scalar, orders: list[int]) -> list[float]:
    r"""The moments :math:`\mathbb E|\sigma'(Z)|^{2q}` for each q.

    Example:
        >>> [round(m, 9) for m in activation_moments(lambda z: (z > 0).double(), [1, 2, 3])]
        [0.5, 0.5, 0.5]

    :covers: activation-moment-assumption
    """
    if not orders or min(orders) < 1:
        raise InputError(f"orders must be whole numbers >= 1, got {orders}")
    return [math.exp(log_slope_moment(derivative, q)) for q in orders]


def slope_constants(derivative: Scalar, *, largest: int = 24) -> MomentConstants | None:
    r"""The smallest c, with the :math:`s^2` it needs, for orders 2 to ``largest``; or None.

    With :math:`m_q=2\,\mathbb E|\sigma'|^{2q}/q!` the condition is :math:`m_q\le s^2c^{q-2}`; q = 2
    gives :math:`s^2\ge m_2`, and then :math:`c\ge(m_q/s^2)^{1/(q-2)}`. None if that still grows at
    the largest orders: no constants will do.

    Example:
        >>> found = slope_constants(lambda z: 2 * z)  # the square
        >>> round(found.s2, 9), found.c < 8, slope_constants(torch.exp)
        (48.0, True, None)

    :covers: activation-moment-assumption
    """
    if largest < 8:
        raise InputError(f"largest must be at least 8, got {largest}")
    orders = range(2, largest + 1)
    log_m = [math.log(2) + log_slope_moment(derivative, q) - math.lgamma(q + 1) for q in orders]
    needed = [(m - log_m[0]) / (q - 2) for q, m in zip(orders, log_m, strict=True) if q > 2]
    # bounded needs flatten like 1/q; the exponential's grow like q
    if needed[-1] - needed[len(needed) // 2] > math.log(4):
        return None
    return MomentConstants(math.exp(log_m[0]), math.exp(max(needed)))
