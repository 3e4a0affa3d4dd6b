"""Results of experiments next to the published results: the record and its file."""

import dataclasses
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corollary.core import Figure, Reading, Sample
from corollary.core.experiment import Experiment, Published, Row
from corollary.core.numbers import from_json_number, short, to_json_number
from corollary.errors import ResultsFileError
from corollary.registry import find_experiment
from corollary.run.files import read_json, write_atomically

SCHEMA = 1
LEVEL = 0.95
FEWEST = 3  # runs behind a verdict: an interval of two runs contains almost any value


@dataclass(frozen=True)
class Job:
    """One row at one seed: its value, or the reason why there is none."""

    experiment: str
    row: str
    seed: int
    value: float = math.nan
    seconds: float = 0.0
    figures: tuple[Figure, ...] = ()
    text: str = ""
    numbers: dict[str, float] = field(default_factory=dict)
    error: str = ""
    settings: dict[str, Any] = field(default_factory=dict)  # of the experiment, by name

    @property
    def name(self) -> str:
        """The name that identifies the job."""
        return f"{self.experiment}: {self.row}, seed {self.seed}"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        out = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return out | {
            "value": to_json_number(self.value),
            "numbers": {k: to_json_number(v) for k, v in self.numbers.items()},
            "figures": [figure.to_json() for figure in self.figures],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Job":
        """The inverse of :meth:`to_json`."""
        return cls(
            **data
            | {
                "value": from_json_number(data["value"]),
                "numbers": {k: from_json_number(v) for k, v in data["numbers"].items()},
                "figures": tuple(Figure.from_json(f) for f in data["figures"]),
            }
        )


@dataclass(frozen=True)
class Line:
    """One line of the table: all seeds of one row."""

    experiment: str
    metric: str
    better: str
    row: str
    published: Published | None
    jobs: tuple[Job, ...]
    random: bool = True  # whether another seed gives another value
    note: str = ""

    @property
    def values(self) -> list[float]:
        """The value of each seed whose run was completed."""
        return [job.value for job in self.jobs if not job.error]

    @property
    def ours(self) -> Reading | None:
        """The mean with its interval; a single run has no interval."""
        if len(self.values) < 2:
            return Reading(*self.values * 3) if self.values else None
        return Sample(self.values).read(LEVEL)

    @property
    def verdict(self) -> str:
        """Whether the published figure lies within the interval or is surpassed."""
        if errors := [job.error for job in self.jobs if job.error]:
            return errors[0]
        if self.published is None or self.ours is None:
            return ""
        if self.published.differs:
            return f"other setting: {self.published.differs}"
        if self.random and len(self.values) < FEWEST:
            return f"fewer than {FEWEST} seeds: no verdict"
        above = self.better in ("higher", "equal") and self.ours.high < self.published.value
        below = self.better in ("lower", "equal") and self.ours.low > self.published.value
        missed = f"not reached: {self.note}" if self.note else "not reached"
        return missed if above or below else "reached"

    @property
    def judged(self) -> bool:
        """Whether the row has the setting of the published figure, and enough runs."""
        return self.verdict.partition(":")[0] in ("reached", "not reached")

    @property
    def surpassed(self) -> bool:
        """Whether the mean alone is at least as good as the published figure."""
        if self.published is None or self.ours is None:
            return False
        gap = self.ours.value - self.published.value
        return {"higher": gap >= 0, "lower": gap <= 0, "equal": gap == 0}[self.better]

    @property
    def seconds(self) -> float:
        """The mean CPU time per seed."""
        return sum(job.seconds for job in self.jobs) / max(1, len(self.jobs))

    @property
    def number(self) -> str:
        """The measured mean and interval as text."""
        if self.ours is None:
            return ""
        if self.ours.low == self.ours.high:
            return short(self.ours.value)
        return f"{short(self.ours.value)} ({short(self.ours.low)} to {short(self.ours.high)})"


@dataclass(frozen=True)
class Reproduction:
    """All jobs of a run of ``corollary reproduce``, with everything needed to repeat it."""

    environment: dict[str, Any]
    quick: bool
    jobs: tuple[Job, ...]

    def lines(self) -> Iterator[Line]:
        """The table, row by row in the order of the catalogue."""
        groups: dict[tuple[str, str], list[Job]] = {}
        for job in self.jobs:
            groups.setdefault((job.experiment, job.row), []).append(job)
        for (name, row), jobs in groups.items():
            kind: type[Experiment] = find_experiment(name).load()
            (found,) = (r for r in kind.rows if r.name == row) if _has(kind, row) else (Row(row),)
            published = None if self.quick else found.published
            more = kind.seeds > 1, found.note
            yield Line(name, kind.metric, kind.better, row, published, tuple(jobs), *more)

    def to_json(self) -> dict[str, Any]:
        """The run file as plain data."""
        return self._head() | {"jobs": [job.to_json() for job in self.jobs]}

    def to_text(self) -> str:
        """The run file: JSON with one job per line, so that an added run is an added line."""
        head = json.dumps(self._head(), indent=1, allow_nan=False).removesuffix("\n}")
        jobs = [json.dumps(job.to_json(), allow_nan=False) for job in self.jobs]
        return head + ',\n "jobs": [\n' + ",\n".join(jobs) + "\n ]\n}\n"

    def _head(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": "reproduction",
            "environment": self.environment,
            "quick": self.quick,
        }

    @classmethod
    def from_json(cls, data: Any) -> "Reproduction":
        """Read a run file's data."""
        try:
            if (data["kind"], data["schema"]) != ("reproduction", SCHEMA):
                raise ResultsFileError(f"expected schema {SCHEMA}, got {data['schema']}")
            jobs = tuple(Job.from_json(job) for job in data["jobs"])
            return cls(dict(data["environment"]), bool(data["quick"]), jobs)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ResultsFileError):
                raise
            raise ResultsFileError(
                "expected a file of `corollary reproduce --json`, got something else "
                f"({type(error).__name__}: {error})"
            ) from None


def write_reproduction(done: Reproduction, path: Path) -> None:
    """Write a run file."""
    write_atomically(path, done.to_text())


def read_reproduction(path: Path) -> Reproduction:
    """Read a run file.

    Raises:
        ResultsFileError: if there is no such file, or it is not a run file.
    """
    try:
        return Reproduction.from_json(read_json(path))
    except ResultsFileError as error:
        raise ResultsFileError(f"{path}: {error}") from None


def _has(kind: type[Experiment], row: str) -> bool:
    return any(r.name == row for r in kind.rows)
