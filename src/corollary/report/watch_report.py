"""A watched run in short, as plain data: causes and the latest numbers."""

from dataclasses import dataclass
from typing import Any

from corollary.core.finding import Severity
from corollary.core.measurement import Reading
from corollary.core.numbers import to_json_number
from corollary.report.watch_page import headline
from corollary.watch.event import Event
from corollary.watch.record import Run


@dataclass(frozen=True)
class WatchReport:
    """A summary of a watched training run."""

    headline: str
    about: dict[str, Any]  # model, optimizers, environment
    steps: int  # number of optimizer steps so far
    seconds: float  # duration of the whole run, once it has ended
    ended: bool  # whether the run has ended
    severity: Severity  # the highest severity among events that are still going on
    events: tuple[Event, ...]  # the most severe events first; events that have ended come last
    readings: dict[str, Reading]  # the latest value of each measurement
    problems: tuple[str, ...]  # measurements that the watcher could not make

    @classmethod
    def of(cls, run: Run) -> "WatchReport":
        """The report of a run."""
        series = {"training loss": run.losses, "learning rate": run.rates} | run.series
        return cls(
            headline(run),
            run.about,
            run.steps,
            run.seconds,
            run.ended,
            run.worst(),
            tuple(run.events),
            {name: one.readings[-1] for name, one in series.items() if one.readings},
            tuple(run.problems),
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data with strict-JSON numbers; keys are the field names."""
        return vars(self) | {
            "seconds": to_json_number(self.seconds),
            "severity": self.severity.value,
            "events": [event.to_json() for event in self.events],
            "readings": {
                name: {key: to_json_number(value) for key, value in vars(reading).items()}
                for name, reading in self.readings.items()
            },
            "problems": list(self.problems),
        }
