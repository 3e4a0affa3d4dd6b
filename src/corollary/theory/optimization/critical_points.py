r"""Descent directions, stationary points and what curvature says about them.

:math:`s` descends from x when :math:`\nabla f(x)^\top s<0`, that is at an angle below
:math:`\pi/2` from :math:`-\nabla f(x)`. A local minimiser of a differentiable f has
:math:`\nabla f=0` (not conversely: :math:`x^3`) and, if f is twice differentiable,
:math:`H\succeq0` (not conversely: :math:`x^3`); :math:`\nabla f=0` and :math:`H\succ0` make a
strict local minimiser (not conversely: :math:`x^4`).

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.1, (5.3) and (5.4).
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function, gradient, same_length, scalar
from corollary.theory.prerequisites.hessians import hessian

Kind = Literal["minimum", "maximum", "saddle", "degenerate"]


class CriticalPoint(NamedTuple):
    """What the Hessian decides about a stationary point."""

    kind: Kind
    eigenvalues: Tensor  # of the Hessian, ascending
    residual: float  # length of the gradient


def is_descent_direction(grad: Float[Tensor, " d"], s: Float[Tensor, " k"]) -> bool:
    r"""Whether :math:`\nabla f(x)^\top s<0`; neither 0 nor a tangent of the level set does.

    Example:
        >>> g = torch.tensor([1.0, 0.0])
        >>> [is_descent_direction(g, torch.tensor(s)) for s in ([-1.0, 5.0], [0.0, 1.0])]
        [True, False]

    :covers: descent-direction
    :erratum: [possible OCR artefact] After (5.4) the angle interval reads [0, pi/2]; it must be
        half open, as the notes' own cos > 0 says. At pi/2 a direction need not descend: from 0,
        s = (0, 1) increases x_1 + x_2^2.
    """
    same_length("s", s, grad)
    return bool(grad @ s < 0)


def max_decrease_step(f: Function, x: Float[Tensor, " d"], s: Float[Tensor, " k"]) -> float:
    r"""The step a > 0 to the first valley of :math:`a\mapsto f(x+as)` along a descent direction.

    A bracket is found by doubling, then Brent's method; a line without a valley within
    :math:`2^{60}` steps is refused.

    Example:
        >>> round(max_decrease_step(lambda x: (x**2).sum(), torch.ones(1), -torch.ones(1)), 6)
        1.0
    """
    from scipy.optimize import minimize_scalar

    if not is_descent_direction(gradient(f, x), s):
        raise InputError("s must be a descent direction: grad f(x)^T s < 0")

    def line(a: float) -> float:
        return float(scalar(f, x + a * s).detach())

    start, a = line(0.0), 2.0**-20
    while line(a) >= start and a > 1e-300:  # a small step descends; find it
        a /= 2
    for _ in range(80):
        if line(2 * a) >= line(a):
            return float(minimize_scalar(line, bracket=(0.0, a, 2 * a)).x)
        a *= 2
    raise InputError(
        "f decreases along s up to the largest floating-point numbers, so there "
        "is no largest decrease"
    )


def stationarity(f: Function, x: Float[Tensor, " d"]) -> float:
    r"""The residual :math:`\|\nabla f(x)\|` of the first-order condition.

    Example:
        >>> stationarity(lambda x: (x**3).sum(), torch.zeros(1))  # stationary, not minimal
        0.0

    :covers: first-order-condition
    """
    return float(gradient(f, x).norm())


def classify_critical_point(
    f: Function, x: Float[Tensor, " d"], *, tol: float = 1e-6
) -> CriticalPoint:
    r"""Minimum, maximum or saddle by the signs of the Hessian; degenerate where it does not decide.

    Args:
        f: Twice differentiable.
        x: A stationary point; refused when its gradient is longer than ``tol``.
        tol: Eigenvalues below ``tol`` times the largest (or ``tol``) count as 0.

    A negative and a positive eigenvalue make a saddle whatever the others are. Costs a dense
    Hessian and its eigenvalues, :math:`O(d^3)`.

    Example:
        >>> classify_critical_point(lambda x: x[0] ** 2 - x[1] ** 2, torch.zeros(2)).kind
        'saddle'

    :covers: second-order-conditions
    :test: tests/theory/optimization/test_critical_points.py
    :erratum: [typo] Positive definiteness is written s^T H s > 0 for all s; s = 0 must be excluded.
    """
    residual = stationarity(f, x)
    if residual > tol:
        raise InputError(
            f"only stationary points are classified, but the gradient has length {residual:.3g}"
        )
    values = torch.linalg.eigvalsh(hessian(f, x))
    zero = tol * max(1.0, float(values.abs().max()))
    low, high = float(values[0]), float(values[-1])
    if low < -zero and high > zero:
        return CriticalPoint("saddle", values, residual)
    kind: Kind = "minimum" if low > zero else "maximum" if high < -zero else "degenerate"
    return CriticalPoint(kind, values, residual)
