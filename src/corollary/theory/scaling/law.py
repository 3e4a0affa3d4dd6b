r"""Scaling laws: a power law with a floor, its intervals, and what it says of larger sizes.

.. math:: L(x)=E+A\,x^{-\alpha},\qquad E\ge0,\ A>0,\ \alpha>0

is fitted to losses at sizes x (parameters, samples, steps) by least squares in the logarithm. For
given :math:`\alpha` and :math:`e=E/A` the best A has a closed form, so the sum of squares R is
known on a whole grid of :math:`(\alpha,e)`. The interval of a quantity is its range over all pairs
with

.. math:: R\le R_{\min}\Bigl(1+\frac{t^2}{n-3}\Bigr)

with Student's quantile t for n - 3 degrees of freedom. No quadratic approximation enters, so
that a floor at its bound of 0 or an exponent that the data hardly determine show in the intervals.

:source: Hestness et al. (2017), "Deep learning scaling is predictable, empirically", Section 3;
    Hoffmann et al. (2022), "Training compute-optimal large language models", Section 3.3; profiles:
    Bates and Watts (1988), "Nonlinear regression analysis and its applications", Section 6.1.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corollary.errors import InputError
from corollary.theory.confidence.mean import student
from corollary.theory.landscape.curvature.interval import Estimate

LEAST = 5  # sizes: three numbers are fitted
EXPONENTS, SHARES = (0.01, 5.0), (0.0, 0.9999)  # alpha, and the share of E in the last loss
POINTS, ROUNDS = 200, 4  # of the grid, which is refined around what it allows


@dataclass(frozen=True)
class ScalingLaw:
    """A fitted law; intervals have the level of the fit."""

    floor: Estimate  # E
    exponent: Estimate  # alpha
    error: float  # standard deviation of one loss, relative
    level: float
    freedom: int
    _region: "_Region"

    def __repr__(self) -> str:
        power = f"{self._region.factor():.4g} x^-{self.exponent.value:.3g}"
        return (
            f"loss {self.floor.value:.4g} + {power} (exponent {self.exponent}, floor {self.floor})"
        )

    def predict(self, size: float) -> Estimate:
        """The loss of one more run of this size, with the interval in which it will be."""
        value, low, high = self._region.span(lambda r: r.losses(size))
        spread = student(self.freedom, self.level) * self.error
        below = math.hypot(math.log(value / low), spread)
        above = math.hypot(math.log(high / value), spread)
        return Estimate(value, value * math.exp(-below), value * math.exp(above), self.level)

    def size_for(self, loss: float) -> Estimate:
        """The size at which the law reaches a loss; infinite where the floor may be above it."""
        return Estimate(*self._region.span(lambda r: r.sizes(loss)), self.level)


class _Region(NamedTuple):
    """Laws within the interval; the best one is the first."""

    exponents: np.ndarray
    floors: np.ndarray  # E / A, of sizes divided by ``largest``
    factors: np.ndarray  # A
    largest: float

    def losses(self, size: float) -> np.ndarray:
        found: np.ndarray = self.factors * (self.floors + (size / self.largest) ** -self.exponents)
        return found

    def sizes(self, loss: float) -> np.ndarray:
        above = np.maximum(loss / self.factors - self.floors, 0.0)
        with np.errstate(divide="ignore", over="ignore"):
            found: np.ndarray = self.largest * above ** (-1 / self.exponents)
        return found

    def factor(self) -> float:
        return float(self.factors[0] * self.largest ** self.exponents[0])

    def span(self, quantity: "Callable[[_Region], np.ndarray]") -> tuple[float, float, float]:
        found = quantity(self)
        return float(found[0]), float(found.min()), float(found.max())


def fit_scaling_law(
    sizes: Sequence[float], losses: Sequence[float], *, level: float = 0.95
) -> ScalingLaw:
    """The law through losses at five or more sizes.

    Example:
        >>> n = [2.0**k for k in range(8)]
        >>> law = fit_scaling_law(n, [1 + 3 * x**-0.5 for x in n])
        >>> round(law.exponent.value, 2), round(law.predict(4.0**7).value, 3)  # 1 + 3/128
        (0.5, 1.023)
    """
    x, y = np.asarray(sizes, dtype=float), np.asarray(losses, dtype=float)
    if len(x) != len(y) or len(set(x.tolist())) < LEAST:
        raise InputError(
            f"expected losses at {LEAST} or more different sizes, got {len(set(x.tolist()))} sizes "
            f"and {len(y)} losses"
        )
    if not (np.isfinite(y).all() and (y > 0).all() and (x > 0).all()):
        raise InputError("expected sizes and losses that are positive and finite")
    x, largest, freedom = x / x.max(), float(x.max()), len(x) - 3
    factor = 1 + student(freedom, level) ** 2 / freedom
    ends = [(math.log(EXPONENTS[0]), math.log(EXPONENTS[1])), SHARES]
    for _ in range(ROUNDS):
        axes = [np.linspace(low, high, POINTS) for low, high in ends]
        log_alpha, share = (grid.ravel() for grid in np.meshgrid(*axes, indexing="ij"))
        alpha, e = np.exp(log_alpha), share / (1 - share)
        R, logs_of_A = _squares(alpha, e, x, np.log(y))
        best, allowed = int(R.argmin()), np.flatnonzero(R.min() * factor >= R)
        ends = [_around(log_alpha[allowed], axes[0]), _around(share[allowed], axes[1])]
    order = np.concatenate([[best], allowed])
    region = _Region(alpha[order], e[order], np.exp(logs_of_A[order]), largest)
    return ScalingLaw(
        Estimate(*region.span(lambda r: r.factors * r.floors), level),
        Estimate(*region.span(lambda r: r.exponents), level),
        math.sqrt(float(R[best]) / freedom),
        level,
        freedom,
        region,
    )


def _squares(
    alpha: np.ndarray, e: np.ndarray, x: np.ndarray, logs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The sum of squares with the best A, and the logarithm of this A."""
    gaps = logs - np.log(e[:, None] + x ** -alpha[:, None])  # (pairs, sizes)
    best = gaps.mean(axis=1)
    return ((gaps - best[:, None]) ** 2).sum(axis=1), best


def _around(values: np.ndarray, axis: np.ndarray) -> tuple[float, float]:
    """The range of some values of an axis, and a step more on both sides."""
    step = float(axis[1] - axis[0])
    return max(float(axis[0]), float(values.min()) - step), min(
        float(axis[-1]), float(values.max()) + step
    )


class Extrapolation(NamedTuple):
    """A law that was fitted without the largest runs, and what they say of it."""

    law: ScalingLaw
    sizes: tuple[float, ...]  # held out
    losses: tuple[float, ...]
    predicted: tuple[Estimate, ...]

    def __repr__(self) -> str:
        rows = zip(self.sizes, self.losses, self.predicted, strict=True)
        found = "; ".join(f"at {x:g} measured {y:.4g}, predicted {one}" for x, y, one in rows)
        return f"{found}: the extrapolation {'holds' if self.holds else 'fails'}"

    @property
    def holds(self) -> bool:
        """Whether every held-out loss is within its interval."""
        return all(loss in one for loss, one in zip(self.losses, self.predicted, strict=True))


def extrapolation_test(
    sizes: Sequence[float], losses: Sequence[float], *, held_out: int = 1, level: float = 0.95
) -> Extrapolation:
    """Fit without the largest sizes, and predict the losses there.

    Example:
        >>> n = [2.0**k for k in range(9)]
        >>> extrapolation_test(n, [1 + 3 * x**-0.5 for x in n]).holds
        True
        >>> extrapolation_test(n, [*(1 + 3 * x**-0.5 for x in n[:-1]), 0.9]).holds
        False
    """
    ranked = sorted((float(x), float(y)) for x, y in zip(sizes, losses, strict=True))
    cut = len(ranked) - held_out
    law = fit_scaling_law(*zip(*ranked[:cut], strict=True), level=level)
    x, y = zip(*ranked[cut:], strict=True)
    return Extrapolation(law, x, y, tuple(law.predict(size) for size in x))
