r"""The ends of a spectrum with intervals that hold with stated probability, and saddle points.

A Ritz value never exceeds the largest eigenvalue, :math:`\theta \le \lambda_{\max}`. From a start
that is uniform on the sphere of :math:`\mathbb{R}^p`, after m steps of Lanczos

.. math:: \Pr\bigl[\lambda_{\max} - \theta > \varepsilon (\lambda_{\max} - \lambda_{\min})\bigr]
          \le 1.648\, \sqrt{p}\; e^{-\sqrt{\varepsilon}\,(2m - 1)},

whatever the matrix. Applied to both ends this gives intervals of known width, without any
assumption on the spectrum.

:source: Kuczynski and Wozniakowski (1992), "Estimating the largest eigenvalue by the power and
    Lanczos algorithms with a random start", Theorem 4.2.
"""

import math
from dataclasses import dataclass
from typing import Literal

from torch import Generator

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator
from corollary.theory.landscape.curvature.interval import Estimate, check_level
from corollary.theory.landscape.curvature.lanczos import Krylov
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.seeding import as_generator


@dataclass(frozen=True)
class Extremes:
    """Both ends of a spectrum."""

    smallest: Estimate
    largest: Estimate
    products: int
    path: str

    def __repr__(self) -> str:
        return f"eigenvalues from {self.smallest} to {self.largest}, from {self.products} products"


def random_start_error(p: int, m: int, miss: float) -> float:
    r"""The :math:`\varepsilon` of the theorem: share of the spectrum's width that may be missed.

    Example:
        >>> round(random_start_error(10_000, 50, 0.05), 4)
        0.0067
        >>> random_start_error(3, 3, 0.05)  # the Krylov space is everything
        0.0
    """
    if m >= p:
        return 0.0
    error = (math.log(1.648 * math.sqrt(p) / miss) / (2 * m - 1)) ** 2
    return min(error, 1.0)  # in this order NaN stays NaN


@of_model
def extreme_eigenvalues(
    subject: Landscape | Curvature,
    *,
    rtol: float = 0.05,
    level: float = 0.95,
    max_products: int = 200,
    rng: int | Generator = 0,
) -> Extremes:
    r"""Intervals for the smallest and the largest eigenvalue.

    Runs until the interval of the eigenvalue of larger magnitude is at most ``rtol`` of it wide,
    or the budget is spent (the intervals are valid then too, only wider): about 25 products for
    5 % at :math:`p = 10^6`, 50 for 1 %. Both intervals hold together with probability ``level``.

    Example:
        >>> import torch
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> ends = extreme_eigenvalues(Explicit(torch.diag(torch.linspace(-1, 4, 50))))
        >>> -1.0 in ends.smallest, 4.0 in ends.largest
        (True, True)
    """
    A, rng = as_operator(subject), as_generator(rng)
    check_level(level)
    if not 0 < rtol < 1:
        raise InputError(f"rtol must lie between 0 and 1, got {rtol}")
    space, start = Krylov(A, min(max_products, A.size), rng=rng), A.products
    needed = 1
    while space.m < space.capacity and space.step():
        if random_start_error(A.size, space.m, (1 - level) / 2) > rtol or space.m < needed:
            continue
        ends = _ends(space, level)
        if max(e.high - e.low for e in ends) <= rtol * max(abs(e.value) for e in ends):
            break
        needed = space.m + 1 + space.m // 10
    return Extremes(*_ends(space, level), A.products - start, A.path)


def _ends(space: Krylov, level: float) -> tuple[Estimate, Estimate]:
    theta = space.ritz().values
    top, bottom = float(theta[0]), float(theta[-1])
    share = random_start_error(space.A.size, space.m, (1 - level) / 2)
    if space.m == space.held and space.m >= space.A.size:
        share = 0.0
    width = (top - bottom) / (1 - 2 * share) if share < 0.5 else math.inf
    missed = share * width if share else 0.0
    rounding = 10 * space.eps * space.scale * math.sqrt(space.m)
    return (
        Estimate(bottom, bottom - missed - rounding, bottom + rounding, level),
        Estimate(top, top - rounding, top + missed + rounding, level),
    )


@dataclass(frozen=True)
class CriticalPoint:
    """What kind of point a landscape is at."""

    kind: Literal["not critical", "minimum", "maximum", "saddle", "undecided"]
    gradient_norm: float
    extremes: Extremes

    def __repr__(self) -> str:
        ends = self.extremes
        return (
            f"{self.kind}: gradient norm {self.gradient_norm:.3g}, smallest eigenvalue "
            f"{ends.smallest}, largest {ends.largest}"
        )


@of_model
def critical_point(
    landscape: Landscape,
    *,
    flat: float = 1e-6,
    rtol: float = 0.05,
    level: float = 0.95,
    rng: int | Generator = 0,
) -> CriticalPoint:
    r"""Whether the present parameters are a minimum, a maximum or a saddle of the loss.

    A direction of negative curvature proves a saddle (Rayleigh quotients are upper bounds of
    :math:`\lambda_{\min}`), a positive lower end of the interval a strict minimum; otherwise, as
    with the flat directions of most networks, the second-order test is undecided.

    Args:
        landscape: The loss.
        flat: Gradient norm at which a point counts as critical.
        rtol: Width of the intervals, see :func:`extreme_eigenvalues`.
        level: Probability with which they hold.
        rng: Of the start vector.
    """
    norm = float(landscape.gradient().norm())
    ends = extreme_eigenvalues(landscape, rtol=rtol, level=level, rng=rng)
    kind: Literal["not critical", "minimum", "maximum", "saddle", "undecided"] = "undecided"
    if norm > flat:
        kind = "not critical"
    elif ends.smallest.high < 0 < ends.largest.low:
        kind = "saddle"
    elif ends.smallest.low > 0:
        kind = "minimum"
    elif ends.largest.high < 0:
        kind = "maximum"
    return CriticalPoint(kind, norm, ends)
