r"""Angles from :math:`u = 1 - \cos\theta`, without the loss of digits near :math:`\theta = 0`.

A cosine near 1 has lost the angle: its rounding error :math:`\epsilon` becomes
:math:`\sqrt\epsilon` in :math:`\theta = \arccos c`. The number :math:`u` has not:
:math:`\theta = 2\arcsin\sqrt{u/2}` keeps the relative precision of :math:`u`. For compiled loops,

.. math:: \theta(u) = \sqrt{u}\,P(u) \quad (0 \le u \le 1), \qquad
          \theta(u) = \pi - \theta(2 - u) \quad (1 < u \le 2),

where :math:`P` is analytic with its nearest singularity at :math:`u = 2`, so a Chebyshev
interpolant of degree m is off by about :math:`(3 + \sqrt 8)^{-m}`: degree 7 gives 2e-8 for float32,
17 gives 4e-15 for float64 (more terms lose in rounding what they gain). It is evaluated as even
part plus :math:`u` times odd part, two short chains at once.

:source: Cho and Saul (2009), "Kernel methods for deep learning", Section 2 (the angles); the
    recursion in u is ours.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.kernels.arc_cosine import j0, j1

Coefficients = tuple[np.floating, ...]
DEGREES = {"float32": 7, "float64": 17}


@lru_cache(maxsize=2)
def angle_polynomial(dtype: str) -> tuple[Coefficients, Coefficients]:
    """Even and odd coefficients of P, highest degree first, as scalars of the NumPy ``dtype``.

    Example:
        >>> even, odd = angle_polynomial("float64")
        >>> float(abs(even[-1] - np.sqrt(2))) < 1e-14  # P(0) = lim θ / √u = √2
        True
    """
    from numpy.polynomial import Chebyshev, Polynomial

    def p(u: np.ndarray) -> np.ndarray:
        # Interpolation points are inside (0, 1).
        values: np.ndarray = 2 * np.arcsin(np.sqrt(u / 2)) / np.sqrt(u)
        return values

    series = Chebyshev.interpolate(p, DEGREES[dtype], domain=[0, 1])
    coefficients = series.convert(kind=Polynomial).coef
    kind = np.dtype(dtype).type
    even, odd = coefficients[0::2][::-1], coefficients[1::2][::-1]
    return tuple(kind(c) for c in even), tuple(kind(c) for c in odd)


def angle(u: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""The angle :math:`\theta \in [0, \pi]` with :math:`1 - \cos\theta = u`.

    Example:
        >>> angle(torch.tensor([0.0, 1.0, 2.0])).div(torch.pi).mul(180).round().tolist()
        [0.0, 90.0, 180.0]
    """
    return 2 * torch.asin((u.clamp(0, 2) / 2).sqrt())


class ArcTerms(torch.autograd.Function):
    r"""From a cosine: :math:`J = (\sin\theta + (\pi-\theta)\cos\theta)/\pi`, and 1 - θ/π.

    Derivatives are written out: :math:`J' = 1 - \theta/\pi` and :math:`(1-\theta/\pi)' = 1/(\pi
    \sin\theta)`, the latter set to 0 at parallel inputs, where the cosine does not move.
    """

    @staticmethod
    def forward(ctx: Any, c: Tensor) -> tuple[Tensor, Tensor]:
        """J and the arc of order 0."""
        # A few units in the last place of 1 are rounding of equal inputs, not an angle of 1e-8.
        c = torch.where(c > 1 - 8 * torch.finfo(c.dtype).eps, torch.ones_like(c), c)
        arc = j0(c) / torch.pi
        ctx.save_for_backward(c, arc)
        return j1(c) / torch.pi, arc

    @staticmethod
    def backward(ctx: Any, grad_j: Tensor, grad_arc: Tensor) -> Tensor:
        """Chain rule with the derivatives above."""
        c, arc = ctx.saved_tensors
        sine = ((1 - c) * (1 + c)).sqrt()
        moving = sine > 1e-7
        slope = torch.where(moving, 1 / torch.where(moving, sine, torch.ones_like(sine)), 0.0)
        grad: Tensor = grad_j * arc + grad_arc * slope / torch.pi
        return grad


def arc_terms(cosine: Tensor) -> tuple[Tensor, Tensor]:
    """J and the arc of order 0, differentiable."""
    j, arc = ArcTerms.apply(cosine)  # type: ignore[no-untyped-call]  # of torch
    return j, arc
