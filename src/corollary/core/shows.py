"""Figures of a trial: prediction, measurement, and what happens without a hypothesis.

A claim declares them in ``shows``; no measurement is repeated. Only :class:`Sweep` runs the claim
at other values of a field.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any

from corollary.core.dots import with_intervals
from corollary.core.figure import Curve, Figure, Histogram, Level, Mark, Points, Role
from corollary.core.measurement import Path, Sample, Series
from corollary.core.numbers import Column, as_floats, short
from corollary.core.picture import Frame, Log
from corollary.core.power_law import loglog_fit
from corollary.core.relations import Slope
from corollary.core.trial import Trial
from corollary.errors import InputError

if TYPE_CHECKING:
    from corollary.core.claim import Claim


@dataclass(frozen=True)
class Show(Frame, ABC):
    """A picture that the core draws."""

    _: KW_ONLY
    without: bool = True  # draw what happens without a hypothesis, too

    @abstractmethod
    def draw(self, claim: "Claim[Any]", trial: Trial[Any], seed: int) -> Figure:
        """The picture."""

    def _broken(self, trial: Trial[Any]) -> Sequence[Trial[Any]]:
        return trial.without if self.without else ()


@dataclass(frozen=True)
class Along(Show):
    """Entry by entry, or along a :class:`Path`.

    ``at`` names a field with the positions; entries beyond the positions, such as an additional
    width, are not drawn. ``parts`` names blocks of equal length, each of which is drawn over the
    same positions.
    """

    _: KW_ONLY
    first: float = 0.0  # position of the first entry where `at` is not given
    at: str = ""
    parts: tuple[str, ...] = ()

    def draw(self, claim: "Claim[Any]", trial: Trial[Any], seed: int) -> Figure:
        """Prediction as a line, measurements as dots, or as curves if they are paths."""
        if isinstance(trial.measured, Path):
            return self._run(claim, trial)
        named = claim.rows if isinstance(claim.rows, tuple) and not self.at else ()
        marks: list[Mark] = []
        for block, part in enumerate(self.parts or ("",)):
            marks += self._block(claim, trial, block, f", {part}" if part else "")
        return self.frame(claim, trial, _once(marks, claim.symbols[0]), names=named)

    def _block(self, claim: "Claim[Any]", trial: Trial[Any], block: int, part: str) -> list[Mark]:
        x = self.positions(claim, trial)
        entries = slice(block * len(x), (block + 1) * len(x))
        p, m = trial.comparison.predicted[entries], trial.comparison.measured[entries]
        marks = [
            _predicted(x, p, claim.symbols[0] + part),
            with_intervals(x, m, claim.symbols[1] + part, "measured"),
        ]
        for broken in self._broken(trial):
            own = self.positions(claim, broken) if self.at else x
            entries = slice(block * len(own), (block + 1) * len(own))
            predicted = broken.comparison.predicted[entries]
            measured = broken.comparison.measured[entries]
            if len(measured) < len(own):
                continue
            same = measured == m
            if (own != x and set(predicted) != set(p)) or (same and predicted != p):
                label = _label(broken) if same else claim.symbols[0]
                marks.append(_predicted(own, predicted, label + part, "other"))
            if not same:
                marks.append(with_intervals(own, measured, _label(broken) + part, "other"))
        return marks

    def _run(self, claim: "Claim[Any]", trial: Trial[Any]) -> Figure:
        marks: list[Mark] = [Level(trial.comparison.predicted[0], label=claim.symbols[0])]
        runs: list[tuple[Trial[Any], str, Role]] = [(trial, claim.symbols[1], "measured")]
        runs += [(b, _label(b), "other") for b in self._broken(trial)]
        for run, label, role in runs:
            values = run.measured.values
            if role == "other" and values == trial.measured.values:
                marks.append(Level(run.comparison.predicted[0], label=label, role=role))
                continue
            x = [self.first + k for k in run.measured.at]
            marks.append(Curve(values, x=x, label=label, role=role))
        return self.frame(claim, trial, marks)

    def positions(self, claim: "Claim[Any]", trial: Trial[Any]) -> list[float]:
        """The position of each entry on the x axis."""
        if self.at:
            return as_floats(claim.lookup(self.at, trial.given))
        n = len(trial.comparison.predicted) // max(len(self.parts), 1)
        return [self.first + k for k in range(n)]

    def labels(self, claim: "Claim[Any]", trial: Trial[Any]) -> tuple[str, ...]:
        """A label for each entry."""
        own = [f"{self.x} = {short(v)}" for v in self.positions(claim, trial)]
        return tuple(f"{label}, {part}" for part in self.parts for label in own) or tuple(own)


@dataclass(frozen=True)
class Over(Show):
    """A :class:`Series` over its sizes, with its fitted exponent or its limit."""

    log: Log = "x"

    def draw(self, claim: "Claim[Any]", trial: Trial[Any], seed: int) -> Figure:
        """Dots, and the predicted law."""
        series = trial.measured
        if not isinstance(series, Series):
            raise InputError(f"Over draws a Series, got {type(series).__name__}")
        (predicted,), rate = trial.comparison.predicted, isinstance(claim.relation, Slope)
        marks: list[Mark] = []
        if rate:
            marks.append(_power_law(series, predicted, claim.symbols[0]))
        elif predicted > 0 or "y" not in self.log:  # a logarithmic axis has no place for a limit 0
            marks.append(Level(predicted, label=claim.symbols[0]))
        fitted = f", fitted exponent {short(trial.comparison.measured[0].value)}" if rate else ""
        marks.append(Points(series.sizes, series.values, label=claim.symbols[1] + fitted))
        for broken in self._broken(trial):
            sizes, values = broken.measured.sizes, broken.measured.values
            marks.append(Points(sizes, values, label=_label(broken), role="other"))
        return self.frame(claim, trial, marks, log_y="y" in self.log or rate)


@dataclass(frozen=True)
class Parity(Show):
    """Measured against predicted, with the diagonal on which they agree."""

    leave: int = 0  # entries at the end that are of another kind, such as a width

    def draw(self, claim: "Claim[Any]", trial: Trial[Any], seed: int) -> Figure:
        """One dot per entry."""
        p, m = self._sides(trial)
        ends = [min(p), max(p)]
        marks: list[Mark] = [
            Curve(ends, x=ends, label="equal", role="predicted"),
            Points(p, m, label=claim.symbols[1]),
        ]
        for b in self._broken(trial):
            marks.append(Points(*self._sides(b), label=_label(b), role="other"))
        return self.frame(claim, trial, marks)

    def _sides(self, trial: Trial[Any]) -> tuple[list[float], list[float]]:
        n = len(trial.comparison.predicted) - self.leave
        measured = [r.value for r in trial.comparison.measured]
        return list(trial.comparison.predicted[:n]), measured[:n]


@dataclass(frozen=True)
class Spread(Show):
    """The draws of a :class:`Sample` as a histogram, with their mean and the prediction."""

    entry: int = 0  # which of several samples

    def draw(self, claim: "Claim[Any]", trial: Trial[Any], seed: int) -> Figure:
        """Density over the draws."""
        r = trial.comparison.measured[self.entry]
        mean = f"mean {short(r.value)}, between {short(r.low)} and {short(r.high)}"
        marks: list[Mark] = [
            Histogram(self._draws(trial), label=claim.symbols[1]),
            Level(r.value, label=mean, role="measured", axis="x"),
            Level(trial.comparison.predicted[self.entry], label=claim.symbols[0], axis="x"),
        ]
        for broken in self._broken(trial):
            marks.append(Histogram(self._draws(broken), label=_label(broken), role="other"))
        return self.frame(claim, trial, marks, x=self.x or claim.symbols[1], y=self.y or "density")

    def _draws(self, trial: Trial[Any]) -> Column:
        measured = trial.measured
        sample = measured if isinstance(measured, Sample) else measured[self.entry]
        values: Column = sample.values
        return values


@dataclass(frozen=True)
class Sweep(Show):
    """The claim at other values of one field, with the same seed and all other fields unchanged."""

    field: str
    values: Sequence[float]
    _: KW_ONLY
    entry: int = 0  # which of several comparisons
    log: Log = "x"

    def draw(self, claim: "Claim[Any]", trial: Trial[Any], seed: int) -> Figure:
        """Values at which a hypothesis does not hold are not drawn."""
        x, predicted, measured = [], [], []
        for value in self.values:
            other = replace(claim, **{self.field: value})
            given = other.draw(seed)
            if all(h.holds for h in other.hypotheses(given)):
                comparison = other.trial(given, seed).comparison
                x.append(float(value))
                predicted.append(comparison.predicted[self.entry])
                measured.append(comparison.measured[self.entry])
        marks = [
            Curve(predicted, x=x, label=claim.symbols[0], role="predicted"),
            with_intervals(x, measured, claim.symbols[1], "measured"),
        ]
        return self.frame(claim, trial, marks, x=self.x or self.field)


def _predicted(
    x: list[float], values: Sequence[float], label: str, role: Any = "predicted"
) -> Mark:
    if len(set(values)) == 1:
        return Level(values[0], label=label, role=role)
    return Curve(values, x=x, label=label, role=role, dashed=role == "other")


def _once(marks: list[Mark], label: str) -> list[Mark]:
    """If the predictions of all parts are equal, one of them without the name of a part."""
    lines = [m for m in marks if isinstance(m, Curve | Level) and m.role == "predicted"]
    if len({repr(replace(m, label="")) for m in lines}) != 1:
        return marks
    return [replace(lines[0], label=label), *(m for m in marks if m not in lines)]


def _power_law(series: Series, exponent: float, label: str) -> Mark:
    """The predicted exponent, through the middle of the measured values."""
    fit = loglog_fit(series.sizes, series.values)
    first, last = series.sizes[0], series.sizes[-1]
    middle = (first * last) ** 0.5
    height = fit.factor * middle**fit.slope
    x = [first, last]
    y = [height * (s / middle) ** exponent for s in x]
    return Curve(y, x=x, label=label, role="predicted")


def _label(broken: Trial[Any]) -> str:
    """The sentence of a counterexample, as a label."""
    return broken.words.rstrip(".") or "without " + "; ".join(broken.broken)
