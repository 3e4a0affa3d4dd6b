r"""Increments of a function: mean value theorems and integral remainders.

.. math:: f(x+y)-f(x)=\nabla f(x+cy)^\top y=\int_0^1\nabla f(x+ty)^\top y\,dt,\qquad
    f(x+y)=f(x)+\nabla f(x)^\top y+\int_0^1(1-t)\,y^\top H(x+ty)\,y\,dt

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, Theorems 3 and 4,
    (1.15)-(1.18).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import (
    Function,
    gradient,
    one_sided_slopes,
    same_length,
    scalar,
)
from corollary.theory.prerequisites.hessians import hvp


class MeanValue(NamedTuple):
    """Where on the segment the slope is the mean slope."""

    c: float  # strictly between 0 and 1
    slope: float  # the gradient at x + c y, times y
    increment: float  # f(x + y) - f(x)


def mvt_point(
    f: Function, x: Float[Tensor, " d"], y: Float[Tensor, " k"], *, cells: int = 64
) -> MeanValue:
    r"""A c in (0, 1) with :math:`\nabla f(x+cy)^\top y=f(x+y)-f(x)`.

    The difference of both sides has mean 0 over the segment, so where the gradient is continuous
    it changes its sign; the first change on a grid is refined by Brent's method. A change at a
    kink is no mean value, and is refused.

    Example:
        >>> x, y = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
        >>> round(mvt_point(lambda x: (x**2).sum(), x, y).c, 12)
        0.5

    :covers: mean-value-theorems
    """
    from scipy.optimize import brentq

    same_length("y", y, x)
    increment = float(scalar(f, x + y) - scalar(f, x))

    def excess(c: float) -> float:
        return float(gradient(f, x + c * y) @ y) - increment

    grid = [(i + 0.5) / cells for i in range(cells)]
    values = [excess(c) for c in grid]
    size = max(abs(increment), max(abs(v) for v in values), 1e-300)
    if max(abs(v) for v in values) <= 1e-12 * size:  # the slope is constant
        return MeanValue(0.5, excess(0.5) + increment, increment)
    turn = next((i for i in range(cells - 1) if values[i] * values[i + 1] <= 0), None)
    if turn is None:
        raise InputError(
            f"no mean value was found on {cells} points of the segment: the gradient is not "
            "continuous there, or the grid is too coarse (raise cells=...)"
        )
    c = float(brentq(excess, grid[turn], grid[turn + 1], xtol=1e-15))
    if abs(excess(c)) > 1e-6 * size or not one_sided_slopes(f, x + c * y, y).differentiable:
        raise InputError(
            f"the mean value would be at x + {c:.6g} y, but f has a kink there and no slope"
        )
    return MeanValue(c, excess(c) + increment, increment)


def line_integral_increment(
    f: Function,
    x: Float[Tensor, " d"],
    y: Float[Tensor, " k"],
    *,
    order: Literal[0, 1] = 0,
    nodes: int = 32,
) -> Tensor:
    r"""The increment of f (order 0) or of its gradient (order 1) as an integral over the segment.

    Order 0 integrates :math:`\nabla f(x+ty)^\top y`, order 1 :math:`H(x+ty)\,y`, by Gauss-Legendre
    quadrature, which is exact for polynomials of degree below ``2 nodes``.

    Example:
        >>> x, y = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
        >>> round(line_integral_increment(lambda x: (x**3).sum(), x, y).item(), 12)
        1.0
    """
    same_length("y", y, x)
    if order not in (0, 1):
        raise InputError(f"order must be 0 or 1, got {order}")
    points, weights = unit_interval_rule(nodes)
    if order == 0:
        terms = [w * (gradient(f, x + t * y) @ y) for t, w in zip(points, weights, strict=True)]
    else:
        terms = [w * hvp(f, x + t * y, y) for t, w in zip(points, weights, strict=True)]
    return torch.stack(terms).sum(dim=0)


def second_order_increment(
    f: Function,
    x: Float[Tensor, " d"],
    y: Float[Tensor, " k"],
    *,
    nodes: int = 32,
    weight: Callable[[float], float] = lambda t: 1 - t,
) -> float:
    r"""The value :math:`f(x+y)` from f, its gradient at x and the curvature along the segment.

    Args:
        f: Twice continuously differentiable.
        x: Start.
        y: Increment.
        nodes: Points of the Gauss-Legendre rule, each a Hessian-vector product.
        weight: Of the curvature at t; ``1 - t`` is right, the notes' ``1/2`` is not.

    Example:
        >>> one = torch.ones(1, dtype=torch.float64)
        >>> cube = lambda x: (x**3).sum()
        >>> round(second_order_increment(cube, one, one), 12)
        8.0
        >>> round(second_order_increment(cube, one, one, weight=lambda t: 0.5), 12)
        8.5

    :covers: second-order-integral-remainder
    :erratum: [wrong] (1.17) weights the curvature by 1/2 where it must be 1 - t (the two agree when
        the curvature along the segment is constant). For f = x^3 and x = y = 1 the true value is
        8, the notes' is 8.5.
    """
    same_length("y", y, x)
    rest = sum(
        w * weight(t) * float(y @ hvp(f, x + t * y, y))
        for t, w in zip(*unit_interval_rule(nodes), strict=True)
    )
    return float(scalar(f, x).detach()) + float(gradient(f, x) @ y) + rest


def unit_interval_rule(nodes: int) -> tuple[list[float], list[float]]:
    """Points and weights of the Gauss-Legendre rule on [0, 1].

    Example:
        >>> unit_interval_rule(1)
        ([0.5], [1.0])
    """
    if nodes < 1:
        raise InputError(f"a quadrature rule needs at least one node, got nodes = {nodes}")
    t, w = np.polynomial.legendre.leggauss(nodes)
    return ((t + 1) / 2).tolist(), (w / 2).tolist()
