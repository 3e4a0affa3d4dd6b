r"""Densities, distribution functions, expectations and the tail integral.

.. math:: \Pr(a\le X\le b)=\int_a^bf,\qquad F(x)=\int_{-\infty}^xf,\qquad
    \mathbb{E}X=\int xf(x)\,dx=\int_0^\infty\Pr(X\ge t)\,dt\quad(X\ge0)

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.5, (1.28)-(1.31), Table 1.1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corollary.errors import InputError

Real = Callable[[float], float]


@dataclass(frozen=True)
class Density:
    r"""A probability density on ``[low, high]`` (infinite ends allowed), verified when made.

    A law may have a density though its distribution function has kinks: the uniform law on [0, 1]
    has, with :math:`F'=f` wherever f is continuous.

    Example:
        >>> uniform = Density(lambda x: 1.0, 0.0, 1.0)
        >>> uniform.probability(0.25, 0.75), uniform.cdf(2.0), round(uniform.expectation(), 12)
        (0.5, 1.0, 0.5)

    :covers: probability-measure
    :erratum: [loose] "If dF/dx exists and is finite for all x then X is continuous and has a
        density" is true, but as the only criterion it leaves out the uniform law on [0, 1] of Table
        1.1, whose F has kinks at 0 and 1 (slopes 0 and 1 on the two sides of 0). (1.29)-(1.31) give
        the right notion: F(x) is the integral of f, and F' = f where f is continuous.
    """

    f: Real
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InputError(f"a support needs low < high, but {self.low:g} >= {self.high:g}")
        low, high = sorted((max(self.low, -50.0), min(self.high, 50.0)))
        grid = np.linspace(low, high, 1001)[1:-1]
        worst = min(self.f(float(x)) for x in grid)
        if not worst >= 0:
            raise InputError(f"a density must not be negative, but it takes the value {worst:.3g}")
        total = integral(self.f, self.low, self.high)
        if not abs(total - 1) <= 1e-6:
            raise InputError(f"a density must integrate to 1, but this one gives {total:.6g}")

    def probability(self, a: float, b: float) -> float:
        r""":math:`\Pr(a\le X\le b)`; a single point has none."""
        if not a <= b:
            raise InputError(f"an interval needs a <= b, got a={a:g}, b={b:g}")
        a, b = max(a, self.low), min(b, self.high)
        return integral(self.f, a, b) if a < b else 0.0

    def cdf(self, x: float) -> float:
        r""":math:`F(x)=\Pr(X\le x)`."""
        return 0.0 if x <= self.low else self.probability(self.low, x)

    def expectation(self, g: Real = lambda x: x) -> float:
        r""":math:`\mathbb{E}\,g(X)` by quadrature."""
        return integral(lambda x: g(x) * self.f(x), self.low, self.high)


def tail_expectation(survival: Real, *, whole_numbers: bool = False) -> float:
    r"""The mean of a variable :math:`X\ge0` from its survival function :math:`\Pr(X\ge t)`.

    A variable that takes negative values is refused: of these the tail integral knows nothing
    (uniform on [-1, 1] would give 1/4 in place of 0).

    Args:
        survival: ``t -> Pr(X >= t)``.
        whole_numbers: X takes only the values 0, 1, 2, ...; the integral is then a sum.

    Example:
        >>> import math
        >>> round(tail_expectation(lambda t: math.exp(-2 * t)), 9)
        0.5

    :covers: expectation-tail-integral
    """
    if not abs(survival(0.0) - 1) <= 1e-12:
        raise InputError(
            f"the tail formula needs X >= 0, but Pr(X >= 0) = {survival(0.0):.6g} is not 1"
        )
    if not whole_numbers:
        return integral(survival, 0.0, math.inf)
    total, k = 0.0, 1
    while (mass := survival(float(k))) > 1e-17 and k < 10_000_000:
        total, k = total + mass, k + 1
    return total


def integral(g: Real, low: float, high: float) -> float:
    """Adaptive quadrature over an interval with finite or infinite ends.

    Example:
        >>> round(integral(lambda x: x * x, 0.0, 3.0), 12)
        9.0
    """
    from scipy.integrate import quad

    if math.isnan(low) or math.isnan(high):
        return math.nan  # which quad takes for an empty interval
    if math.isinf(low) and math.isinf(high):  # two halves: a centre is then never missed
        return integral(g, low, 0.0) + integral(g, 0.0, high)
    value, _ = quad(g, low, high, epsabs=1e-12, epsrel=1e-12, limit=400)
    return float(value)
