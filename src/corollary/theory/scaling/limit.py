r"""The exponent of a power law in the limit, from sizes that are still finite.

A quantity of a network of width n is

.. math:: s(n) = A\,n^{p}\,\bigl(1 + B\,n^{-r} + \dots\bigr), \qquad r \ge \tfrac12,

because exponents are multiples of 1/2: no correction falls more slowly than :math:`n^{-1/2}`. A
straight line through the logarithms takes B for zero, and its slope is off by an amount that more
seeds do not reduce. A fit of :math:`\log s = \log A + p\log n + B\,n^{-r}` with a given r has a
slope without this bias, but a larger variance. As r is not known, the interval for p contains the
Student intervals of three fits: r = 1/2 (the slowest correction), r = 1 (that of a mean of n
independent terms), and no correction. Corrections of second order, :math:`B^2n^{-2r}`, are left
out: they have to be small at the smallest n.

:source: The extrapolation is Richardson's: Richardson and Gaunt (1927), "The deferred approach to
    the limit"; exponents that are multiples of 1/2: Yang and Hu (2021), "Tensor programs IV".
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from corollary.errors import InputError
from corollary.theory.confidence.mean import student

CORRECTIONS = (0.5, 1.0, math.inf)  # r; without a correction r is infinite


class Limit(NamedTuple):
    """An interval for the exponent as the size grows."""

    low: float
    high: float


def limit_exponent(
    sizes: Sequence[float], runs: Sequence[Sequence[float]], level: float = 0.95
) -> Limit:
    """The interval for the exponent of the limit, from one row of ``runs`` per seed.

    The variance is that of the logarithms over seeds, pooled over sizes. With one seed there is
    none, and the interval is infinite; so it is with fewer than four sizes.

    Example:
        >>> n = (16, 32, 64, 128)
        >>> rows = [[k**0.5 * (1 + k**-0.5) * (1 + j / 1000) for k in n] for j in (-1, 1)]
        >>> found = limit_exponent(n, rows)  # the straight line has the slope 0.43
        >>> found.low < 0.5 < found.high
        True
    """
    logs = np.log(np.asarray(runs, dtype=float))  # (seeds, sizes)
    seeds, count = logs.shape
    freedom = count * (seeds - 1)
    if freedom == 0 or count < 4:
        return Limit(-math.inf, math.inf)
    variance = float(logs.var(axis=0, ddof=1).mean()) / seeds
    ends = []
    for r in CORRECTIONS:
        weights = slope_weights(sizes, r)
        slope = float(weights @ logs.mean(axis=0))
        half = student(freedom, level) * math.sqrt(variance * float(weights @ weights))
        ends += [slope - half, slope + half]
    return Limit(min(ends), max(ends))


def slope_weights(sizes: Sequence[float], r: float) -> np.ndarray:
    """Weights of the logarithms that give the slope by least squares, with a correction n^-r.

    Example:
        >>> weights = slope_weights([1, 2, 4, 8], math.inf)
        >>> round(float(weights @ np.log([3, 6, 12, 24])), 12)
        1.0
        >>> n = np.array([1, 2, 4, 8])
        >>> weights = slope_weights([1, 2, 4, 8], 0.5)
        >>> round(float(weights @ (2 * np.log(n) + 5 * n**-0.5)), 12)  # without the correction
        2.0
    """
    if not r > 0:
        raise InputError(f"expected r > 0 (infinity: no correction), got {r}")
    n = np.asarray(sizes, dtype=float)
    columns = [np.ones_like(n), np.log(n)]
    if math.isfinite(r):
        columns.append((n / n[0]) ** -r)
    inverse = np.linalg.pinv(np.stack(columns, axis=1))  # (parameters, sizes)
    slope: np.ndarray = inverse[1]
    return slope
