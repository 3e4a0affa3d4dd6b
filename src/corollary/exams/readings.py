"""Numbers of findings, with no more digits than are known."""

import math
from collections.abc import Callable

from corollary.core import Reading


def counted(n: int) -> Reading:
    """A count, which is exact.

    Example:
        >>> counted(3)
        Reading(value=3, low=3, high=3)
    """
    return Reading(n, n, n)


def rounded(value: float, digits: int = 2) -> Reading:
    """A number measured on the given samples; other samples would change its third digit.

    Example:
        >>> rounded(0.04922).value, rounded(0.99912, 4).value
        (0.049, 0.9991)
    """
    value = float(f"{value:.{digits}g}")
    return Reading(value, value, value)


def upwards(value: float, digits: int = 2) -> Reading:
    """An upper bound, which is rounded up.

    Example:
        >>> upwards(6.52).value, upwards(6.5).value, upwards(0.0).value
        (6.6, 6.5, 0.0)
    """
    if not (math.isfinite(value) and value > 0):
        return Reading(value, value, value)
    places = _places(value, digits)
    value = max(value, round(math.ceil(round(value * 10.0**places, 6)) / 10.0**places, places))
    return Reading(value, value, value)


def roughly(value: float) -> str:
    """The number with one significant digit, as text.

    Example:
        >>> roughly(1936.0), roughly(0.0312), roughly(37.2)
        ('2,000', '0.03', '40')
    """
    value = float(f"{value:.1g}")
    return f"{value:,.0f}" if 1 <= value < 1e9 else f"{value:g}"


def between(value: float, low: float, high: float) -> Reading:
    """A number and its interval, to the digit that the width of the interval leaves.

    The number keeps two digits at least and the ends one; the interval is rounded outwards. An end
    at infinity stays there.

    Example:
        >>> between(0.013907, 0.013378, 0.013911)
        Reading(value=0.0139, low=0.0133, high=0.014)
        >>> between(118.0, 41.0, 460.0)
        Reading(value=120.0, low=40.0, high=500.0)
    """
    ends = [end for end in (low, high) if math.isfinite(end)]
    width = max((abs(value - end) for end in ends), default=0.0) if math.isfinite(value) else 0.0
    if width <= abs(value) * 1e-4:  # known to more digits than anybody reads
        return Reading(*(float(f"{x:.4g}") for x in (value, low, high)))
    places = -math.floor(math.log10(width / 2))
    return Reading(
        round(value, max(places, _places(value, 2))),
        _outwards(low, max(places, _places(low, 1)), math.floor),
        _outwards(high, max(places, _places(high, 1)), math.ceil),
    )


def _places(value: float, digits: int) -> int:
    """Decimal places that show so many digits."""
    known = math.isfinite(value) and value != 0
    return digits - 1 - math.floor(math.log10(abs(value))) if known else -99


def _outwards(end: float, places: int, rounding: Callable[[float], int]) -> float:
    return round(rounding(end * 10.0**places) / 10.0**places, places) if math.isfinite(end) else end
