"""Examine many checkpoints of one network: what changed over training, and which one is sick."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from corollary.core import Severity
from corollary.errors import CorollaryError, InputError
from corollary.examine.child import examine_in_child
from corollary.examine.examination import Examination
from corollary.run.journal import Journal
from corollary.run.spread import spread

SICK = Severity.HIGH


@dataclass(frozen=True)
class Examined:
    """One checkpoint: its examination, or the sentence that says why there is none."""

    name: str  # the file
    examination: Examination | None
    why: str = ""

    @property
    def sick(self) -> bool:
        """Whether it has a finding of high severity, or could not be examined."""
        return self.examination is None or self.examination.worst() is SICK

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        done = None if self.examination is None else self.examination.to_json()
        return {"name": self.name, "examination": done, "why": self.why}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Examined":
        """Back from plain data."""
        done = data["examination"]
        return cls(data["name"], done and Examination.from_json(done), data["why"])


@dataclass(frozen=True)
class Series:
    """The checkpoints of a run in order, each examined."""

    target: str
    rows: tuple[Examined, ...]

    def sick(self) -> tuple[Examined, ...]:
        """Those to look at."""
        return tuple(row for row in self.rows if row.sick)

    def to_json(self) -> dict[str, Any]:
        """Plain data, for ``--json``."""
        rows = [row.to_json() for row in self.rows]
        return {"schema": 1, "kind": "series", "target": self.target, "rows": rows}


def files_of(pattern: str) -> list[Path]:
    """The files of a pattern, in the order of the numbers in their names.

    Raises:
        InputError: if there are none.
    """
    found = sorted(map(Path, glob(pattern, recursive=True)), key=lambda p: _numbered(str(p)))
    if not found:
        raise InputError(
            f"expected checkpoints, got no file that matches '{pattern}'; quote the pattern, as "
            "in --each 'checkpoints/*.pt'"
        )
    return found


def _numbered(name: str) -> list[tuple[int, str]]:
    """A key that puts step 9 before step 10.

    Example:
        >>> sorted(["step10.pt", "step9.pt"], key=_numbered)
        ['step9.pt', 'step10.pt']
    """
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdigit() else (0, part) for part in parts]


def examine_each(
    order: dict[str, Any],
    files: Sequence[Path],
    *,
    jobs: int = 1,
    journal: Journal | None = None,
    progress: Callable[[Examined], None] | None = None,
) -> Series:
    """Examine the network of ``order`` with the weights of each file.

    Args:
        order: As for :func:`corollary.examine.child.examine_in_child`.
        files: Weights, in the order of the table.
        jobs: Processes. Work is handed to joblib, so a Dask or Ray backend set by
            ``joblib.parallel_config`` spreads it over a cluster that sees the same files.
        journal: Where finished ones are kept until all are done.
        progress: Called after each.
    """
    import torch

    place = {"folder": os.getcwd(), "threads": torch.get_num_threads()}
    orders = {str(file): order | place | {"weights": str(file.absolute())} for file in files}
    done = journal.read(Examined) if journal else {}
    done = {name: row for name, row in done.items() if name in orders}
    waiting = {name: one for name, one in orders.items() if name not in done}
    for row in _examined(waiting, jobs):
        done[row.name] = row
        if journal:
            journal.append(row)
        if progress:
            progress(row)
    return Series(order["target"], tuple(done[name] for name in orders))


def _examined(orders: dict[str, dict[str, Any]], jobs: int) -> Iterator[Examined]:
    if jobs == 1:
        for name, order in orders.items():
            yield Examined.from_json(_one(name, order))
        return
    for row in spread(_one, list(orders.items()), jobs):
        yield Examined.from_json(row)


def _one(name: str, order: dict[str, Any]) -> dict[str, Any]:
    """One checkpoint, in a process of its own; plain data, which any cluster carries."""
    try:
        return Examined(name, examine_in_child(order)).to_json()
    except CorollaryError as error:
        return Examined(name, None, str(error)).to_json()
