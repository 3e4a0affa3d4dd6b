r"""A power law fitted by least squares in the logarithms, with an interval on the exponent."""

import math
from typing import NamedTuple

from corollary.core.numbers import Column


class PowerLaw(NamedTuple):
    r"""``value ≈ factor * size ** slope`` with the slope's confidence interval."""

    slope: float
    low: float
    high: float
    factor: float


def loglog_fit(sizes: Column, values: Column, *, level: float = 0.95) -> PowerLaw:
    r"""Fit :math:`\log v = \log c + p \log s` and give :math:`p` with its Student interval.

    Example:
        >>> fit = loglog_fit([1, 2, 4, 8], [3, 6, 12, 24])
        >>> round(fit.slope, 12), round(fit.factor, 12)
        (1.0, 3.0)
    """
    from corollary.theory.confidence.mean import student

    if any(not v > 0 for v in values) or any(not s > 0 for s in sizes):
        return PowerLaw(math.nan, math.nan, math.nan, math.nan)  # not a power law at all
    x, y = [math.log(s) for s in sizes], [math.log(v) for v in values]
    n, mean_x, mean_y = len(x), sum(x) / len(x), sum(y) / len(y)
    sxx = sum((a - mean_x) ** 2 for a in x)
    p = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sxx
    residual = sum((b - mean_y - p * (a - mean_x)) ** 2 for a, b in zip(x, y, strict=True))
    half = student(n - 2, level) * math.sqrt(residual / (n - 2) / sxx)
    return PowerLaw(p, p - half, p + half, math.exp(mean_y - p * mean_x))
