"""The record of a run, read from its file: losses, readings and events of all processes."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corollary.core.finding import Severity
from corollary.core.measurement import Reading
from corollary.core.numbers import from_json_number
from corollary.errors import ResultsFileError
from corollary.run.files import results_errors
from corollary.watch.event import Event
from corollary.watch.writing import SCHEMA


@dataclass
class Series:
    """One quantity over the steps."""

    steps: list[int] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)

    @property
    def values(self) -> list[float]:
        """Without the intervals."""
        return [r.value for r in self.readings]


@dataclass
class Run:
    """Everything that is known about a watched run.

    Args:
        about: The first line: model, optimizers, environment.
        losses: The training loss, with the lowest and highest of the steps that share a value.
        rates: The learning rate.
        series: Measurements by name.
        events: One per cause, the most severe first.
        evidence: Files that hold a broken step.
        problems: Errors of the watcher itself.
        ended: Whether the record has its last line.
        steps: Optimizer steps.
        seconds: Seconds of the whole run, once it has ended.
        ranks: The number of processes whose records were found.
    """

    about: dict[str, Any]
    losses: Series = field(default_factory=Series)
    rates: Series = field(default_factory=Series)
    series: dict[str, Series] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ended: bool = False
    steps: int = 0
    seconds: float = 0.0
    ranks: int = 1

    @property
    def open(self) -> list[Event]:
        """Events that have not ended."""
        return [e for e in self.events if e.passed is None]

    def worst(self) -> Severity:
        """The highest severity of an event that has not ended."""
        return max((e.severity for e in self.open), key=lambda s: s.rank, default=Severity.NONE)

    def take(self, line: dict[str, Any]) -> None:
        """The next line of the record."""
        kind = line["kind"]
        if kind == "step":
            self.steps = int(line["step"]) + 1
            _add(self.losses, line, "loss")
            rate = from_json_number(line["lr"])
            self.rates.steps.append(int(line["step"]))
            self.rates.readings.append(Reading(rate, rate, rate))
        elif kind == "reading":
            _add(self.series.setdefault(str(line["name"]), Series()), line, "value")
        elif kind == "event":
            event = Event.from_json(line)
            self.events = [e for e in self.events if e.cause != event.cause] + [event]
        elif kind == "evidence":
            self.evidence.append(line)
        elif kind == "end":
            self.ended, self.steps = True, int(line["step"])
            self.seconds += float(line["seconds"])
            self.problems += [str(p) for p in line["problems"]]

    def _repr_html_(self) -> str:
        from corollary.report.watch_page import watch_html

        return watch_html(self)


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read a record, together with the records of other processes (``run.rank1.jsonl``).

    A run that is still going on, or whose last line was cut, is read up to its last complete line.

    Raises:
        ResultsFileError: if this is not the record of a run.
    """
    place = Path(path)
    run = _one(place)
    for other in sorted(place.parent.glob(f"{place.stem}.rank*{place.suffix}")):
        _join(run, _one(other))
    run.events.sort(key=lambda e: (e.passed is not None, -e.severity.rank, e.step))
    return run


def _one(path: Path) -> Run:
    lines = _lines(path)
    first = next(lines, None)
    if first is None or first.get("kind") != "run" or first.get("schema") != SCHEMA:
        raise ResultsFileError(
            f"expected the record of a watched run (schema {SCHEMA}) in {path}, got something "
            "else; corollary.watch(model, optimizer, to=...) writes a record"
        )
    run = Run(first)
    try:
        for line in lines:
            run.take(line)
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsFileError(
            f"{path} is not a complete record ({type(error).__name__}: {error})"
        ) from None
    return run


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with results_errors(path, "read"):
        text = path.read_text(encoding="utf-8", errors="replace")
    for line in text.splitlines():
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            return  # the last line of a run that was cut off
        if isinstance(found, dict):
            yield found


def _add(series: Series, line: dict[str, Any], key: str) -> None:
    numbers = [from_json_number(line[name]) for name in (key, "low", "high")]
    series.steps.append(int(line["step"]))
    series.readings.append(Reading(*numbers))


def _join(run: Run, other: Run) -> None:
    """Add the events of another process to the run; its curves are not used."""
    run.ranks += 1
    known = {e.cause for e in run.events}
    run.events += [e for e in other.events if e.cause not in known]
    rank = other.about.get("rank")
    run.problems += [f"process {rank}: {p}" for p in other.problems]
    run.evidence += other.evidence
