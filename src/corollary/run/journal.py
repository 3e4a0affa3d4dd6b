"""Files that survive an interruption: the journal of an unfinished run, and the last verdicts."""

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, Self, TypeVar

from corollary.data.disk import cache_folder
from corollary.errors import ResultsFileError
from corollary.run.files import write_atomically

if TYPE_CHECKING:
    from corollary.run.results import Run


class Record(Protocol):
    """An item of a journal: a result with a name, written as plain data and read back."""

    @property
    def name(self) -> str:
        """The name that identifies the result."""

    def to_json(self) -> dict[str, Any]:
        """Plain data."""

    @classmethod
    def from_json(cls, data: dict[str, Any], /) -> Self:
        """Back from plain data."""


R = TypeVar("R", bound=Record)


class Journal:
    """Finished results of an unfinished run, one per line, kept until the run is complete.

    Args:
        path: The file.
        warn: Called once if the file cannot be written; the run continues without it.
    """

    def __init__(self, path: Path, warn: Callable[[str], None] = warnings.warn) -> None:
        self.path, self.warn = path, warn
        self.writable = True

    @classmethod
    def of(cls, *, warn: Callable[[str], None] = warnings.warn, **what: Any) -> "Journal":
        """The journal of the run described by ``what`` (entries, seed, options, versions)."""
        text = json.dumps(what, sort_keys=True, default=str)
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        return cls(cache_folder() / "runs" / f"{key}.jsonl", warn)

    def append(self, result: Record) -> None:
        """Add one result; a kill in the middle costs only this line."""
        if not self.writable:
            return
        line = json.dumps(result.to_json(), allow_nan=False).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                if self._was_cut(file):
                    line = b"\n" + line
                file.write(line)
        except OSError as error:
            self.writable = False
            reason = error.strerror or type(error).__name__
            self.warn(f"{self.path} cannot be written ({reason}), so this run cannot be resumed")

    @staticmethod
    def _was_cut(file: IO[bytes]) -> bool:
        """Whether the last line is incomplete, because its writer was killed."""
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"

    def read(self, kind: type[R]) -> dict[str, R]:
        """The finished results by name; an incomplete line is ignored."""
        found: dict[str, R] = {}
        for line in self._lines():
            try:
                result = kind.from_json(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
            found[result.name] = result
        return found

    def _lines(self) -> list[bytes]:
        try:
            return self.path.read_bytes().splitlines()
        except OSError:
            return []

    def clear(self) -> None:
        """Delete the journal, because the run is complete or starts again."""
        with suppress(OSError):
            self.path.unlink()


def remember(run: "Run") -> None:
    """Keep each claim's last outcome for ``corollary show``; a read-only disk is ignored."""
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
    items = known.items() if isinstance(known, dict) else ()
    return {name: outcome for name, outcome in items if _is_outcome(outcome)}


def _is_outcome(value: Any) -> bool:
    keys = ("verdict", "sentence", "seed", "torch")
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in keys)
