r"""What L-smoothness promises: an upper parabola, a least decrease, a least height.

If :math:`\|\nabla f(x)-\nabla f(y)\|\le L\|x-y\|`, then

.. math:: \bigl|f(x)-f(x')-\nabla f(x')^\top(x-x')\bigr|\le\tfrac L2\|x-x'\|^2,\qquad
   f(x)-f(x-\eta\nabla f(x))\ge\eta\bigl(1-\tfrac{\eta L}2\bigr)\|\nabla f(x)\|^2,\qquad
   f(x)-\inf f\ge\tfrac1{2L}\|\nabla f(x)\|^2.

The first is the integral of the gradient's change along the segment; the second is the first at
:math:`x-\eta\nabla f(x)`; the third is the second at :math:`\eta=1/L`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.5, Lemmas 36 and 39, and Section
    5.8, Problem 1; Perez Jensen (2025), Deep Learning, Section 3.2; Nesterov (2004), "Introductory
    lectures on convex optimization", Lemma 1.2.3.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.theory.prerequisites.gradients import Function, gradient, same_length, scalar
from corollary.theory.prerequisites.wellformed import check_finite, check_positive


class ParabolaGap(NamedTuple):
    """How far f lies inside its two parabolas; both are never negative for L-smooth f."""

    upper: float  # of f below the parabola that opens upwards
    lower: float  # of f above the one that opens downwards


class Decrease(NamedTuple):
    """What a gradient step was promised, and what it brought."""

    guaranteed: float
    actual: float

    @property
    def slack(self) -> float:
        """Actual minus guaranteed decrease."""
        return self.actual - self.guaranteed


def smoothness_gap(
    f: Function, x: Float[Tensor, " d"], xp: Float[Tensor, " k"], L: float
) -> ParabolaGap:
    r"""Room between f(x) and the parabolas of curvature ±L that touch f at :math:`x'`.

    Example:
        >>> one, zero = torch.ones(1), torch.zeros(1)
        >>> smoothness_gap(lambda x: (x**2).sum(), one, zero, L=2.0)
        ParabolaGap(upper=0.0, lower=2.0)

    :covers: descent-quadratic-upper-bound
    """
    same_length("x'", xp, x)
    check_positive("L", L)
    rise = scalar(f, x).detach() - scalar(f, xp).detach()
    rest = float(rise - gradient(f, xp) @ (x - xp))
    parabola = L / 2 * float((x - xp).square().sum())
    return ParabolaGap(parabola - rest, parabola + rest)


def suboptimality_from_gradient(g: Float[Tensor, " d"], L: float) -> float:
    r"""The least height above the infimum of an L-smooth f, :math:`\|g\|^2/(2L)`, at gradient g.

    Example:
        >>> suboptimality_from_gradient(torch.tensor([3.0, 4.0]), L=5.0)
        2.5

    :covers: smooth-suboptimality-gradient
    """
    check_finite("g", g)
    check_positive("L", L)
    return float(torch.dot(g, g)) / (2 * L)


def descent(f: Function, x: Float[Tensor, " d"], eta: float, L: float) -> Decrease:
    r"""The decrease :math:`\eta(1-\eta L/2)\|\nabla f\|^2` that smoothness promises, and the real.

    The promise is positive for :math:`\eta<2/L` and largest at :math:`1/L`.

    Example:
        >>> descent(lambda x: (x**2).sum(), torch.ones(1), eta=0.5, L=2.0)  # attained
        Decrease(guaranteed=1.0, actual=1.0)

    :covers: descent-lemma
    :erratum: [typo] Sections 3.2 of Perez Jensen's notes write sufficient decrease as h_new = h -
        ||g||^2/(2L); it is at most that: h = theta^2/2 is 2-smooth, and from 1 with L = 2 it drops
        by 0.375 > 0.25. One line has ||h||^2 for ||grad h||^2, and the second-order expansion with
        the Hessian at theta_1 is written as an equality; it needs a point in between.
    """
    check_positive("eta", eta)
    check_positive("L", L)
    g = gradient(f, x)
    actual = float(scalar(f, x).detach() - scalar(f, x - eta * g).detach())
    return Decrease(eta * (1 - eta * L / 2) * float(g.square().sum()), actual)
