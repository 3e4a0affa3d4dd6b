r"""Relations between a prediction and a measurement, each with its tolerance.

Each relation carries its tolerance and the kind of reason it has:

==================== ============= ==========================================================
relation             tolerance     holds when
==================== ============= ==========================================================
``at_most``          rounding      measured :math:`\le` predicted
``at_least``         rounding      measured :math:`\ge` predicted
``equals``           rounding      measured = predicted
``within_interval``  statistical   predicted lies in the confidence interval of the measurement
``slope``            asymptotic    the fitted exponent of a :class:`Series` is the predicted one
``converges``        asymptotic    a :class:`Series` tends to the predicted limit
==================== ============= ==========================================================

``at_most`` and ``at_least`` also compare the confidence interval of a :class:`Sample` or a
:class:`Count`: inconclusive when the interval straddles the bound. Lists are compared entry by
entry, and the worst entry decides.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from corollary.core.measurement import Measurement, Reading, Series, readings
from corollary.core.numbers import as_floats, short
from corollary.core.power_law import loglog_fit
from corollary.core.verdict import Verdict
from corollary.errors import InputError

EPS = 2.0**-52  # spacing of float64 at 1; claims work in float64 unless precision is their subject


@dataclass(frozen=True)
class Comparison:
    """A prediction compared with a measurement."""

    verdict: Verdict
    predicted: tuple[float, ...]
    measured: tuple[Reading, ...]
    worst: int  # index of the entry that decided
    note: str = ""

    @property
    def ratio(self) -> float:
        """Measured over predicted at the deciding entry; 1 is a perfect match or a tight bound."""
        p, m = self.predicted[self.worst], self.measured[self.worst].value
        if p == 0:
            return 1.0 if m == 0 else math.inf
        return m / p

    @property
    def tightness(self) -> float:
        """For a bound: the smaller of measured and predicted divided by the larger, at most 1."""
        ratio = self.ratio
        if not math.isfinite(ratio) or ratio <= 0:
            return 0.0
        return min(ratio, 1 / ratio)


class Relation(ABC):
    """Compares prediction and measurement, and lists wrong predictions that it must detect."""

    symbol: str  # how the relation is written between measured and predicted

    @abstractmethod
    def compare(self, predicted: Any, measured: Measurement) -> Comparison:
        """Compare the prediction with the measurement."""

    @abstractmethod
    def mutants(self, predicted: Any, *, loose: bool = False) -> Iterator[Any]:
        """Wrong predictions, each of which must make a true claim fail.

        A bound that is ``loose`` need not notice that it could be twice as tight.
        """

    @property
    @abstractmethod
    def tolerance(self) -> str:
        """The tolerance in words."""


def rounding_words(ulps: float, scale: float) -> str:
    """A tolerance of ``ulps`` units in the last place, as a relative error.

    Example:
        >>> rounding_words(8, 0.0), rounding_words(0, 0.0)
        ('relative rounding error 1.776e-15', 'none')
    """
    size = f" of values up to {scale:g}" if scale else ""
    return f"relative rounding error {short(ulps * EPS)}{size}" if ulps else "none"


@dataclass(frozen=True)
class Bound(Relation):
    """``at_most`` (``sign=+1``) and ``at_least`` (``sign=-1``)."""

    sign: int
    ulps: float
    level: float
    scale: float
    strict: bool = False

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """``<=`` or ``>=``."""
        return {(1, False): "≤", (-1, False): "≥", (1, True): "<", (-1, True): ">"}[
            self.sign, self.strict
        ]

    def compare(self, predicted: Any, measured: Measurement) -> Comparison:
        """Worst entry first: fails if any fails, inconclusive if any straddles, else holds."""
        p, m = _aligned(as_floats(predicted), readings(measured, self.level))
        verdicts, excess = [], []
        for bound, r in zip(p, m, strict=True):
            near, far = (r.high, r.low) if self.sign > 0 else (r.low, r.high)
            exact = self.strict or math.isinf(bound)
            slack = 0.0 if exact else self.ulps * EPS * max(abs(bound), self.scale)
            verdicts.append(self._one(bound, near, far, slack))
            gap = self.sign * (near - bound)  # how far past the bound, in units of the bound
            excess.append(gap / abs(bound) if bound not in (0.0, math.inf, -math.inf) else gap)
        worst = _worst(verdicts, excess)
        return Comparison(verdicts[worst], tuple(p), tuple(m), worst)

    def _one(self, bound: float, near: float, far: float, slack: float) -> Verdict:
        if any(map(math.isnan, (bound, near, far))):
            return Verdict.FAILS
        if self._inside(near, bound, slack):
            return Verdict.HOLDS
        return Verdict.INCONCLUSIVE if self._inside(far, bound, slack) else Verdict.FAILS

    def _inside(self, value: float, bound: float, slack: float) -> bool:
        past = self.sign * (value - bound) if value != bound else 0.0  # inf - inf is not a number
        return past < 0 if self.strict else past <= slack

    def mutants(self, predicted: Any, *, loose: bool = False) -> Iterator[Any]:
        """A bound more than twice as tight, or a thousand times for a loose one."""
        p, factor = as_floats(predicted), 1e-3 if loose else 0.45
        if self.sign > 0:
            yield [v * factor if v > 0 else (v / factor if v < 0 else -1.0) for v in p]
        else:
            yield [v / factor if v > 0 else (v * factor if v < 0 else 1.0) for v in p]

    def swapped(self) -> "Bound":
        """The strict relation the other way round."""
        return replace(self, sign=-self.sign, strict=True)

    @property
    def tolerance(self) -> str:
        """Rounding, and the confidence level that is used if the measurement is random."""
        return rounding_words(self.ulps, self.scale)


def at_most(*, ulps: float = 0, level: float = 0.99, scale: float = 0.0) -> Bound:
    """Measured <= predicted, up to ``ulps`` units in the last place of ``max(|p|, scale)``.

    Example:
        >>> at_most().compare(predicted=2.0, measured=1.5).verdict.value
        'holds'
        >>> from corollary.core.measurement import Count
        >>> at_most(level=0.99).compare(0.05, Count(3, 50)).verdict.value
        'inconclusive'
    """
    return Bound(+1, ulps, level, scale)


def at_least(*, ulps: float = 0, level: float = 0.99, scale: float = 0.0) -> Bound:
    """Measured >= predicted, up to ``ulps`` units in the last place of ``max(|p|, scale)``."""
    return Bound(-1, ulps, level, scale)


@dataclass(frozen=True)
class Equality(Relation):
    """Measured = predicted up to rounding."""

    ulps: float
    scale: float
    coarse: str = ""
    symbol: str = "="

    def compare(self, predicted: Any, measured: Measurement) -> Comparison:
        """The entry with the largest error, in units of its slack, decides."""
        p, m = _aligned(as_floats(predicted), readings(measured, 0.99))
        verdicts, excess = [], []
        for value, r in zip(p, m, strict=True):
            size = max(abs(value), abs(r.value), self.scale)
            off = abs(r.value - value) if r.value != value else 0.0
            near = off == 0 or off <= self.ulps * EPS * size < math.inf
            verdicts.append(Verdict.HOLDS if near else Verdict.FAILS)
            excess.append(off / size if 0 < size < math.inf else off)
        worst = _worst(verdicts, excess)
        return Comparison(verdicts[worst], tuple(p), tuple(m), worst)

    def mutants(self, predicted: Any, *, loose: bool = False) -> Iterator[Any]:
        """Predictions off by a millionth, or by a thousandth if ``coarse`` says why."""
        p, off = as_floats(predicted), 1e-3 if self.coarse else 1e-6
        for shift in (off, -off):
            yield [v + shift * (abs(v) or self.scale or 1.0) for v in p]

    @property
    def tolerance(self) -> str:
        """Rounding."""
        return rounding_words(self.ulps, self.scale)


def equals(*, ulps: float = 0, scale: float = 0.0, coarse: str = "") -> Equality:
    """Measured = predicted, up to ``ulps`` units in the last place of the larger of the two.

    ``scale`` is the size of the terms that were added up, for sums that cancel to almost zero.
    ``coarse`` gives the reason if the comparison cannot notice an error of a millionth.

    Example:
        >>> equals(ulps=8).compare([1.0, 2.0], [1.0, 2.0 + 4e-16]).verdict.value
        'holds'
    """
    return Equality(ulps, scale, coarse)


@dataclass(frozen=True)
class WithinInterval(Relation):
    """The prediction lies in the confidence interval, and the interval is narrow enough."""

    level: float
    resolution: float
    coarse: str = ""
    symbol: str = "≈"

    def compare(self, predicted: Any, measured: Measurement) -> Comparison:
        """Fails if the prediction lies outside the interval.

        Inconclusive if the interval is too wide.
        """
        p, m = _aligned(as_floats(predicted), readings(measured, self.level))
        verdicts, excess = [], []
        for value, r in zip(p, m, strict=True):
            half = (r.high - r.low) / 2
            inside = r.low <= value <= r.high
            wide = half > self.resolution
            verdicts.append(
                (Verdict.INCONCLUSIVE if wide else Verdict.HOLDS) if inside else Verdict.FAILS
            )
            excess.append(abs(r.value - value) / half if half > 0 else math.inf)
        worst = _worst(verdicts, excess)
        note = ""
        if verdicts[worst] is Verdict.INCONCLUSIVE:
            r = m[worst]
            note = (
                f"the interval [{short(r.low)}, {short(r.high)}] is wider than "
                f"±{short(self.resolution)}; use more draws"
            )
        return Comparison(verdicts[worst], tuple(p), tuple(m), worst, note)

    def mutants(self, predicted: Any, *, loose: bool = False) -> Iterator[Any]:
        """Predictions off by a quarter, or by three half widths if ``coarse`` says why."""
        for sign in (1, -1):
            yield [v + sign * self._shift(v) for v in as_floats(predicted)]

    def _shift(self, value: float) -> float:
        return 3 * self.resolution if self.coarse or value == 0 else 0.25 * abs(value)

    @property
    def tolerance(self) -> str:
        """The confidence level and the largest half width."""
        return f"{100 * self.level:g} % confidence, half width at most {short(self.resolution)}"


def within_interval(*, level: float = 0.99, resolution: float, coarse: str = "") -> WithinInterval:
    """The prediction lies in the measurement's interval at confidence ``level``.

    ``resolution`` is the largest half width that still counts as an answer: without it a claim with
    few draws could not fail. ``coarse`` gives the reason if a prediction that is a quarter off
    cannot be noticed.

    Example:
        >>> from corollary.core.measurement import Count
        >>> within_interval(resolution=0.1).compare(0.5, Count(510, 1000)).verdict.value
        'holds'
    """
    return WithinInterval(level, resolution, coarse)


@dataclass(frozen=True)
class Slope(Relation):
    """The exponent of a power law, fitted over the sizes of a :class:`Series`."""

    gap: float
    level: float
    side: int  # 0: equal, -1: at most (decays at least as fast), +1: at least
    coarse: str = ""

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The relation as text."""
        return {0: "∝", -1: "≲", 1: "≳"}[self.side]

    def compare(self, predicted: Any, measured: Measurement) -> Comparison:
        """Holds if the interval of the slope is within the gap, fails if it is outside."""
        if not isinstance(measured, Series):
            raise InputError(f"slope needs a Series, got {type(measured).__name__}")
        (exponent,) = as_floats(predicted)
        fit = loglog_fit(measured.sizes, measured.values, level=self.level)
        low = exponent - self.gap if self.side >= 0 else -math.inf
        high = exponent + self.gap if self.side <= 0 else math.inf
        if low <= fit.low and fit.high <= high:
            verdict = Verdict.HOLDS
        elif fit.high < low or fit.low > high or math.isnan(fit.slope):
            verdict = Verdict.FAILS
        else:
            verdict = Verdict.INCONCLUSIVE
        note = f"fitted over sizes {short(measured.sizes[0])} to {short(measured.sizes[-1])}"
        return Comparison(verdict, (exponent,), (Reading(fit.slope, fit.low, fit.high),), 0, note)

    def mutants(self, predicted: Any, *, loose: bool = False) -> Iterator[Any]:
        """An exponent off by a quarter (four gaps if ``coarse`` says why), on each limited side."""
        (exponent,) = as_floats(predicted)
        off = 4 * self.gap if self.coarse else 0.25
        if self.side >= 0:
            yield exponent + off
        if self.side <= 0:
            yield exponent - off

    @property
    def tolerance(self) -> str:
        """Gap in the exponent and confidence of the fit."""
        return f"±{self.gap:g} in the exponent, {100 * self.level:g} % interval of the fit"


def slope(*, gap: float, level: float = 0.95, side: int = 0, coarse: str = "") -> Slope:
    """Values grow like ``size ** predicted``; the exponent may be off by ``gap``.

    ``side=-1``: decays at least as fast as predicted; ``side=+1``: grows at least as fast.
    ``coarse`` gives the reason if an exponent that is 0.25 off cannot be noticed.

    Example:
        >>> sizes = [10, 20, 40, 80]
        >>> slope(gap=0.1).compare(-1.0, Series(sizes, [3 / s for s in sizes])).verdict.value
        'holds'
    """
    return Slope(gap, level, side, coarse)


@dataclass(frozen=True)
class Convergence(Relation):
    """A series tends to the predicted limit."""

    gap: float
    coarse: str = ""
    symbol: str = "→"

    def compare(self, predicted: Any, measured: Measurement) -> Comparison:
        """Holds if the last value is within the gap and the distance shrinks along the sizes."""
        if not isinstance(measured, Series):
            raise InputError(f"converges needs a Series, got {type(measured).__name__}")
        (limit,) = as_floats(predicted)
        off = [abs(v - limit) for v in measured.values]
        last = measured.values[-1]
        if not off[-1] <= self.gap:
            verdict = Verdict.FAILS
        else:
            floor = 64 * EPS * max(abs(limit), 1.0)  # below this the distance is rounding
            fit = loglog_fit(measured.sizes, [max(e, floor) for e in off], level=0.9)
            arrived = max(off[1:]) <= floor
            verdict = Verdict.HOLDS if arrived or fit.slope < 0 else Verdict.INCONCLUSIVE
        note = f"distance {short(off[0])} at size {short(measured.sizes[0])}, "
        note += f"{short(off[-1])} at size {short(measured.sizes[-1])}"
        reading = Reading(last, last - off[-1], last + off[-1])
        return Comparison(verdict, (limit,), (reading,), 0, note)

    def mutants(self, predicted: Any, *, loose: bool = False) -> Iterator[Any]:
        """A limit off by a tenth in both directions (by three gaps if ``coarse`` says why)."""
        (limit,) = as_floats(predicted)
        off = 3 * self.gap if self.coarse else 0.1 * (abs(limit) or 1.0)
        yield limit + off
        yield limit - off

    @property
    def tolerance(self) -> str:
        """Distance allowed at the largest size."""
        return (
            f"distance at most {short(self.gap)} at the largest size, and shrinking with the size"
        )


def converges(*, gap: float, coarse: str = "") -> Convergence:
    """The values tend to the prediction: within ``gap`` at the largest size, and shrinking.

    ``coarse`` gives the reason if a limit that is a tenth off cannot be noticed.

    Example:
        >>> sizes = [10, 20, 40, 80]
        >>> converges(gap=0.1).compare(2.0, Series(sizes, [2 + 1 / s for s in sizes])).verdict.value
        'holds'
    """
    return Convergence(gap, coarse)


def _aligned(predicted: list[float], measured: list[Reading]) -> tuple[list[float], list[Reading]]:
    """Repeat a single prediction or measurement for all entries of the other."""
    if len(predicted) == 1:
        predicted = predicted * len(measured)
    if len(measured) == 1:
        measured = measured * len(predicted)
    if len(predicted) != len(measured) or not predicted:
        raise InputError(
            f"{len(predicted)} predicted and {len(measured)} measured numbers cannot be compared"
        )
    return predicted, measured


_BADNESS = {Verdict.FAILS: 2, Verdict.INCONCLUSIVE: 1, Verdict.HOLDS: 0}


def _worst(verdicts: list[Verdict], excess: list[float]) -> int:
    """Index of the deciding entry: worst verdict first, then the largest excess."""

    def badness(i: int) -> tuple[int, float]:
        return _BADNESS[verdicts[i]], -math.inf if math.isnan(excess[i]) else excess[i]

    return max(range(len(verdicts)), key=badness)
