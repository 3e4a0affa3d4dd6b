"""The exponent of a power of the width, with its interval over networks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from corollary.core.power_law import loglog_fit
from corollary.theory.scaling.limit import Limit, limit_exponent

# Exponents of theory are multiples of 1/2: a measured one belongs to the nearest of them.
HALFWAY = 0.25


@dataclass(frozen=True)
class Exponent:
    """A measured exponent with its confidence interval.

    ``low`` and ``high`` are about the sizes that were measured. ``limit`` is about the limit of
    large sizes, which is what theory states: it also has the bias of finite sizes in it.

    Example:
        >>> str(Exponent(0.98, 0.91, 1.05)), Exponent(0.98, 0.91, 1.05).sign
        ('+0.98 ± 0.07', 1)
    """

    value: float
    low: float
    high: float
    limit: Limit | None = None

    @property
    def sign(self) -> int | None:
        """1 if it grows, -1 if it shrinks, 0 if neither; None if the interval leaves it open."""
        if self.low > HALFWAY:
            return 1
        if self.high < -HALFWAY:
            return -1
        return 0 if -HALFWAY <= self.low and self.high <= HALFWAY else None

    @property
    def known(self) -> bool:
        """Whether the sizes are a power at all: not zero at the start, and finite."""
        return math.isfinite(self.value)

    @property
    def nearest(self) -> float:
        """The nearest multiple of 1/2; nan if there is no power."""
        return round(2 * self.value) / 2 if self.known else math.nan

    def __add__(self, other: float) -> "Exponent":
        limit = self.limit and Limit(*(end + other for end in self.limit))
        return Exponent(self.value + other, self.low + other, self.high + other, limit)

    def __str__(self) -> str:
        if not self.known:
            return "none"
        value = round(self.value, 2) + 0.0  # without the sign of a zero
        return f"{value:+.2f} ± {(self.high - self.low) / 2:.2f}"


def fitted(widths: Sequence[int], runs: Sequence[Sequence[float]], level: float = 0.95) -> Exponent:
    """The slope of all networks' sizes, one row of ``runs`` per seed, in the logarithms.

    Its interval has the spread over seeds and the distance from a power law in it; that of the
    limit also has the bias of finite widths, see :mod:`corollary.theory.scaling.limit`.

    Example:
        >>> fitted([1, 2, 4, 8], [[1.0, 2.0, 4.0, 8.0], [3.0, 6.0, 12.0, 24.0]]).value
        1.0
    """
    sizes = [value for row in runs for value in row]
    if not all(map(math.isfinite, sizes)):
        return Exponent(math.nan, math.nan, math.nan)
    fit = loglog_fit(list(widths) * len(runs), sizes, level=level)
    if math.isnan(fit.slope):
        return Exponent(math.nan, math.nan, math.nan)
    return Exponent(fit.slope, fit.low, fit.high, limit_exponent(widths, runs, level))
