"""The results of a run, with everything needed to repeat it, and the results file."""

import json
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corollary import __version__
from corollary.core import Refutation, Result, Verdict
from corollary.errors import ResultsFileError
from corollary.run.files import read_json, write_atomically
from corollary.run.well_formed import check_plain, check_record

SHOWN = 10  # results of a printed run
SCHEMA = 2  # version of the results file


@dataclass(frozen=True)
class Run:
    """The results of one run, with everything needed to repeat the run."""

    environment: dict[str, Any]
    seed: int
    results: tuple[Result, ...]

    def __repr__(self) -> str:
        shown = [f"{result.name} {result.sentence}" for result in self.results[:SHOWN]]
        more = len(self.results) - SHOWN
        rest = [f"... and {more} more"] if more > 0 else []
        return "\n".join([*shown, *rest, f"seed {self.seed}: {self.tally}"])

    @property
    def exit_code(self) -> int:
        """0 if all claims hold, 1 if one is refuted, otherwise 3 if one was not decided."""
        codes = {result.verdict.exit_code for result in self.results}
        return 1 if 1 in codes else max(codes, default=0)

    @property
    def tally(self) -> str:
        """The counts in words, such as ``12 hold, 1 fails``."""
        verbs = {Verdict.HOLDS: "hold", Verdict.FAILS: "fail"}
        found = [(v, n) for v, n in self.counts().items() if n]
        return ", ".join(f"{n} {v if n == 1 else verbs.get(v, v)}" for v, n in found)

    def counts(self) -> dict[Verdict, int]:
        """How many results ended in each verdict."""
        return {v: sum(r.verdict is v for r in self.results) for v in Verdict}

    def to_json(self) -> dict[str, Any]:
        """The results file as plain data."""
        return {
            "schema": SCHEMA,
            "environment": self.environment,
            "seed": self.seed,
            "results": [result.to_json() for result in self.results],
        }

    @classmethod
    def from_json(cls, data: Any) -> "Run":
        """Read a results file's data.

        Raises:
            ResultsFileError: if this is not a results file, or has another schema.
        """
        try:
            if data["schema"] != SCHEMA:
                raise ResultsFileError(
                    f"expected a results file of schema {SCHEMA}, got schema "
                    f"{data['schema']}; run `corollary check --json` again"
                )
            check_plain(data)
            results = tuple(Result.from_json(r) for r in data["results"])
            run = cls(dict(data["environment"]), int(data["seed"]), results)
            check_record(run)
            for result in results:
                _check_comparisons(result)
            return run
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ResultsFileError):
                raise
            raise ResultsFileError(
                "expected a complete results file of `corollary check --json`, got something "
                f"else ({type(error).__name__}: {error})"
            ) from None

    def _repr_html_(self) -> str:
        from corollary.report.html import run_html

        return run_html(self)


def environment() -> dict[str, Any]:
    """Versions, platform, thread count and precision: what bitwise equality depends on."""
    import numpy
    import torch

    return {
        "corollary": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "platform": f"{platform.system()} {platform.machine()}",
        "threads": torch.get_num_threads(),
        "dtype": "float64",
    }


def write_results(run: Run, path: Path) -> None:
    """Write a results file."""
    write_atomically(path, json.dumps(run.to_json(), indent=1, allow_nan=False) + "\n")


def read_results(path: Path) -> Run:
    """Read a results file.

    Raises:
        ResultsFileError: if there is no such file, or it is not a results file.
    """
    try:
        return Run.from_json(read_json(path))
    except ResultsFileError as error:
        raise ResultsFileError(f"{path}: {error}") from None


def _check_comparisons(result: Result) -> None:
    """Raise if the deciding entry is not one of the compared entries."""
    parts: list[Result | Refutation] = [result] if result.predicted else []
    for part in [*parts, *result.counterexamples]:
        count = len(part.predicted)
        if len(part.measured) != count or not 0 <= part.worst < count:
            raise ResultsFileError(
                f"expected 'worst' of {result.name} to be the index of a comparison, got "
                f"{part.worst} for {count} predictions and {len(part.measured)} measurements"
            )
