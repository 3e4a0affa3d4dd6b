"""What survives an interruption: the journal of a run under way, and the last verdicts."""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corollary.data.disk import cache_folder
from corollary.errors import ResultsFileError
from corollary.run.files import results_errors, write_atomically

if TYPE_CHECKING:
    from corollary.core import Result
    from corollary.run.results import Run


class Journal:
    """Finished results of a run under way, one a line, kept until the run is complete."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, **what: Any) -> "Journal":
        """The journal of the run described by ``what`` (entries, seed, options, versions)."""
        text = json.dumps(what, sort_keys=True, default=str)
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        return cls(cache_folder() / "runs" / f"{key}.jsonl")

    def append(self, result: "Result") -> None:
        """Add one result; a kill in the middle costs only this line."""
        with results_errors(self.path, "written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result.to_json(), allow_nan=False) + "\n")

    def read(self) -> "dict[str, Result]":
        """What is finished, by name; a line cut short is as if it had not been written."""
        from corollary.core import Result

        found: dict[str, Result] = {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    result = Result.from_json(json.loads(line))
                except (ValueError, KeyError, TypeError):
                    continue
                found[result.name] = result
        return found

    def clear(self) -> None:
        """Forget the run: it is complete, or is to start anew."""
        self.path.unlink(missing_ok=True)


def remember(run: "Run") -> None:
    """Keep each claim's last outcome for ``corollary show``; a read-only disk is no loss."""
    known = last_outcomes()
    for result in run.results:
        known[result.name] = {"verdict": result.verdict.value, "sentence": result.sentence}
        known[result.name] |= {"seed": str(result.seed), "torch": run.environment["torch"]}
    try:
        write_atomically(cache_folder() / "last.json", json.dumps(known, indent=1))
    except ResultsFileError:
        pass


def last_outcomes() -> dict[str, dict[str, str]]:
    """The last outcome of each claim, by name; empty if nothing is kept or it is unreadable."""
    try:
        known = json.loads((cache_folder() / "last.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
