r"""The Landau kernel: Weierstrass' theorem by a convolution.

.. math:: J_n=\int_{-1}^1(1-u^2)^n\,du=\frac{2^{2n+1}(n!)^2}{(2n+1)!},\qquad
   P_n(x)=\frac1{J_n}\int_0^1f(t)\,[1-(t-x)^2]^n\,dt

:math:`P_n` is a polynomial in x of degree at most 2n. For f continuous with
:math:`f(0)=f(1)=0`, :math:`|f|\le M` and :math:`|f(x)-f(y)|\le\epsilon/2` within distance
:math:`\delta`,

.. math:: |P_n-f|\le\frac\epsilon2+\frac{M}{\delta^2(n+1)}\quad\text{on }[0,1].

Other functions are first brought to zero at the ends by subtracting their chord.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 1, (3.9)-(3.14) and
    Theorem 23; Landau (1908).
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

Line = Callable[[Tensor], Tensor]  # entry by entry


def landau_constant(n: int) -> float:
    r""":math:`J_n`, by the logarithm of its closed form.

    Example:
        >>> round(landau_constant(0), 12), round(landau_constant(1), 12)  # 2 and 4/3
        (2.0, 1.333333333333)

    :covers: landau-integral-identity
    """
    if n < 0:
        raise InputError(f"the order n must be at least 0, got {n}")
    log = (2 * n + 1) * math.log(2) + 2 * math.lgamma(n + 1) - math.lgamma(2 * n + 2)
    return math.exp(log)


def landau_second_moment(n: int) -> float:
    r""":math:`\int_{-1}^1u^2(1-u^2)^n\,du=J_{n+1}/(2(n+1))`.

    Example:
        >>> round(landau_second_moment(0), 12)  # 2/3
        0.666666666667
    """
    return landau_constant(n + 1) / (2 * (n + 1))


def landau(f: Line, n: int, x: Float[Tensor, " k"], *, chord: bool = True) -> Float[Tensor, " k"]:
    r"""The Landau polynomial of f on [0, 1], with the chord added back.

    The integral is a Gauss rule on panels of the kernel's width; O(k sqrt(n)).

    Args:
        f: Function on [0, 1].
        n: Order; the polynomial has degree at most 2n.
        x: Points of [0, 1].
        chord: Whether the chord of f is subtracted first and added afterwards. Without it the
            polynomial tends to f(1)/2 at 1.

    Example:
        >>> x = torch.tensor([1.0], dtype=torch.float64)
        >>> round(landau(lambda t: t, 400, x, chord=False).item(), 3)
        0.486

    :covers: landau-kernel-weierstrass
    :erratum: [missing hypothesis] The exercise extends f by 0 outside (0, 1] and asks only for
        continuity on (-inf, 1], that is f(0) = 0. It also needs f(1) = 0 (subtract the chord):
        otherwise (3.14) fails at x = 1. For f(t) = t, P_400(1) = 0.486, tending to 1/2 and not 1.
    """
    if n < 1:
        raise InputError(f"the order n must be at least 1, got {n}")
    if not bool(((x >= 0) & (x <= 1)).all()):
        raise InputError("the Landau polynomial is used on [0, 1], but a point lies outside it")
    ends = f(x.new_tensor([0.0, 1.0])) if chord else x.new_zeros(2)
    t, w = _rule(max(8, math.ceil(n**0.5)), x)
    inner = f(t) - ends[0] - (ends[1] - ends[0]) * t
    kernel = torch.exp(n * torch.log1p(-((t - x[:, None]) ** 2).clamp(max=1 - 1e-300)))
    value = kernel @ (w * inner) / landau_constant(n)
    return value + ends[0] + (ends[1] - ends[0]) * x


def landau_bound(eps: float, delta: float, M: float, n: int) -> float:
    r""":math:`\epsilon/2+M/(\delta^2(n+1))`.

    Example:
        >>> landau_bound(0.5, 0.5, 1.0, 3)
        1.25
    """
    if not (eps > 0 and delta > 0 and M >= 0 and n >= 0):
        raise InputError(f"eps and delta must be positive, M, n >= 0: {eps=}, {delta=}, {M=}, {n=}")
    return eps / 2 + M / (delta**2 * (n + 1))


def landau_order(eps: float, delta: float, M: float) -> int:
    r"""The smallest n whose bound is at most :math:`\epsilon`: :math:`n+1\ge2M/(\epsilon\delta^2)`.

    Example:
        >>> landau_order(0.5, 0.5, 1.0)
        15
    """
    landau_bound(eps, delta, M, 0)
    return max(1, math.ceil(2 * M / (eps * delta**2) - 1e-9) - 1)


def _rule(panels: int, like: Tensor) -> tuple[Tensor, Tensor]:
    t, w = np.polynomial.legendre.leggauss(12)
    edges = np.linspace(0, 1, panels + 1)
    half = np.diff(edges)[:, None] / 2
    at, weight = (edges[:-1, None] + half * (t + 1)).ravel(), (half * w).ravel()
    return torch.from_numpy(at).to(like), torch.from_numpy(weight).to(like)
