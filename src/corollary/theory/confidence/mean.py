r"""The interval of a mean, from independent draws of any law.

Student's interval is exact for normal draws. For skewed ones it misses far too often on the side
of the long tail: from ten draws of an exponential law it covers 90 % in place of 95 %. With the
sample's skewness :math:`\hat\gamma` the transformed

.. math:: g(T)=T+aT^2+\tfrac{a^2}3T^3+b,\qquad T=\sqrt n\,\frac{\bar x-\mu}s,\quad
    a=\frac{\hat\gamma}{3\sqrt n},\quad b=\frac{\hat\gamma}{6\sqrt n}

has no skewness to first order, and :math:`g(T)=q` is solved by
:math:`T=\bigl((1+3a(q-b))^{1/3}-1\bigr)/a`. The interval here holds both: Student's, and the one
between the transformed quantiles of Student's law. In simulations it covers within one and a half
points of its level from ten draws on for laws as skewed as the exponential; for symmetric laws it
is wider than Student's by 12 % at ten draws and by 1 % at fifty.

:source: Student (1908), "The probable error of a mean"; Hall (1992), "On the removal of skewness by
    transformation".
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from scipy.special import stdtrit

from corollary.errors import InputError


class Mean(NamedTuple):
    """The mean of independent draws, and what its interval needs."""

    value: float
    error: float  # standard deviation of the draws over the root of n; nan for one draw
    skewness: float  # of the draws
    n: int

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Both ends of the interval at confidence ``level``; infinite for one draw.

        Example:
            >>> low, high = Mean(2.0, 0.5, 0.0, 11).interval(0.95)
            >>> round((high - 2) / 0.5, 3)  # Student's quantile
            2.228
        """
        if not math.isfinite(self.value) or self.n < 2:
            return -math.inf, math.inf
        t, root = student(self.n - 1, level), math.sqrt(self.n)
        a, b = self.skewness / (3 * root), self.skewness / (6 * root)
        low, high = (_solved(q, a, b) for q in (-t, t))
        return self.value - self.error * max(high, t), self.value - self.error * min(low, -t)


def mean_of(draws: Sequence[float]) -> Mean:
    """Mean, standard error and skewness of some draws.

    Example:
        >>> m = mean_of([1.0, 2.0, 3.0])
        >>> m.value, round(m.error, 4), m.skewness
        (2.0, 0.5774, 0.0)
    """
    n = len(draws)
    if n < 1:
        raise InputError("expected at least one draw, got none")
    mean = sum(draws) / n
    gaps = [v - mean for v in draws]
    scale = max(map(abs, gaps)) or 1.0  # so that powers of tiny gaps do not vanish
    second, third = (sum((g / scale) ** k for g in gaps) / n for k in (2, 3))
    error = scale * math.sqrt(second / (n - 1)) if n > 1 else math.nan
    return Mean(mean, error, third / second**1.5 if second > 0 else 0.0, n)


def student(freedom: int, level: float) -> float:
    """The two-sided quantile of Student's law.

    Example:
        >>> round(student(10, 0.95), 3)
        2.228
    """
    if not 0 < level < 1:
        raise InputError(f"expected a level between 0 and 1, like 0.95, got {level}")
    return float(stdtrit(freedom, (1 + level) / 2))


def _solved(q: float, a: float, b: float) -> float:
    """The T with g(T) = q."""
    return (math.cbrt(1 + 3 * a * (q - b)) - 1) / a if abs(a) > 1e-8 else q - b
