r"""Types of measurements, besides a plain number or a list of numbers.

* :class:`Sample`: independent draws of one quantity; read as its mean with Student's interval,
  widened for skewed draws (:mod:`corollary.theory.confidence.mean`).
* :class:`Count`: hits among independent trials; read as a proportion with the exact binomial
  interval of Clopper and Pearson (1934), "The use of confidence or fiducial limits". *
  :class:`Series`: one quantity at growing sizes, for rates and limits. * :class:`Path`: one
  quantity along a run; compared at its end, drawn whole. * :class:`Kept`: any of these, together
  with data for a picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

from corollary.core.numbers import Column, as_floats
from corollary.errors import InputError

LONGEST = 10_000  # values of a path that are kept, or a little more


@dataclass(frozen=True)
class Reading:
    """A number with its confidence interval; the interval of a plain number has width 0."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Sample:
    """Independent draws of one quantity (at least two)."""

    values: Column

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(as_floats(self.values)))
        if len(self.values) < 2:
            raise InputError(f"a Sample needs at least two draws, got {len(self.values)}")

    def read(self, level: float) -> Reading:
        """Mean and its interval at confidence ``level``: Student's, widened for skewed draws.

        Example:
            >>> r = Sample([1.0, 2.0, 3.0]).read(0.95)
            >>> round(r.value, 3), round(r.low, 3), round(r.high, 3)
            (2.0, -1.312, 5.312)
        """
        from corollary.theory.confidence.mean import mean_of

        mean = mean_of(list(self.values))  # a run that diverged is known to no interval
        return Reading(mean.value, *mean.interval(level))


@dataclass(frozen=True)
class Count:
    """``hits`` among ``trials`` independent trials."""

    hits: int
    trials: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "hits", int(self.hits))
        object.__setattr__(self, "trials", int(self.trials))
        if not 0 <= self.hits <= self.trials or self.trials == 0:
            raise InputError(
                f"a Count needs 0 <= hits <= trials and trials > 0, got {self.hits} of "
                f"{self.trials}"
            )

    @classmethod
    def of(cls, hits: Any) -> Self:
        """From a tensor or a list that says for each trial whether it was a hit."""
        return cls(sum(map(bool, as_floats(hits))), len(hits))

    def read(self, level: float) -> Reading:
        """Proportion and Clopper-Pearson interval at confidence ``level``.

        Example:
            >>> r = Count(0, 10).read(0.95)
            >>> r.low, round(r.high, 4)
            (0.0, 0.3085)
        """
        from corollary.theory.confidence.binomial import lower_limit, upper_limit

        limits = (f(self.hits, self.trials, (1 - level) / 2) for f in (lower_limit, upper_limit))
        return Reading(self.hits / self.trials, *map(float, limits))


@dataclass(frozen=True)
class Series:
    """One quantity measured at growing ``sizes`` (at least four)."""

    sizes: Column
    values: Column

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", tuple(as_floats(self.sizes)))
        object.__setattr__(self, "values", tuple(as_floats(self.values)))
        if len(self.sizes) != len(self.values) or len(self.sizes) < 4:
            raise InputError(
                "a Series needs one value per size and at least four sizes, got "
                f"{len(self.sizes)} sizes and {len(self.values)} values"
            )
        if any(b <= a for a, b in zip(self.sizes, self.sizes[1:], strict=False)):
            raise InputError(f"the sizes of a Series must grow, got {list(self.sizes)}")


@dataclass(frozen=True)
class Path:
    """One quantity along a run, such as mistakes so far; its last value is compared.

    For a long run, evenly spaced values and the last one are kept; ``at`` holds their positions.
    """

    values: Column
    at: Sequence[int] = ()

    def __post_init__(self) -> None:
        n = len(self.values)
        if n == 0:
            raise InputError("expected a Path with at least one value, got an empty Path")
        if not self.at:
            kept = [*range(0, n - 1, max(1, n // LONGEST)), n - 1]
            object.__setattr__(self, "at", tuple(kept))
            object.__setattr__(self, "values", [self.values[k] for k in kept])
        object.__setattr__(self, "values", tuple(as_floats(self.values)))


class Kept:
    """A measurement together with data for a figure: ``Kept(error, curve=losses)``."""

    def __init__(self, measured: Any, **more: Any) -> None:
        self.measured = measured
        self.more = SimpleNamespace(**more)


Measurement = Any  # float | Sample | Count | Path | sequence of those | Series | Kept


def readings(measured: Measurement, level: float) -> list[Reading]:
    """The measurement as numbers with intervals that hold *together* at confidence ``level``.

    With several samples each interval is widened after Bonferroni.
    """
    parts = list(measured) if isinstance(measured, list | tuple) else [measured]
    random = sum(isinstance(part, Sample | Count) for part in parts)
    each = 1 - (1 - level) / max(random, 1)
    out: list[Reading] = []
    for part in parts:
        if isinstance(part, Sample | Count):
            out.append(part.read(each))
        elif isinstance(part, Path):
            out.append(Reading(part.values[-1], part.values[-1], part.values[-1]))
        elif isinstance(part, Series):
            raise InputError("a Series is compared by `slope` or `converges`, not entry by entry")
        else:
            out.extend(Reading(v, v, v) for v in as_floats(part))
    return out
