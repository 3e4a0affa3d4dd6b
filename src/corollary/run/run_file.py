"""A run file that grows: every finished job is added to it, and what it has is not run again."""

from pathlib import Path
from typing import Any

from corollary.errors import ResultsFileError
from corollary.registry import experiments
from corollary.run.reproduction import Job, Reproduction, read_reproduction, write_reproduction
from corollary.run.results import environment

BITS_DEPEND_ON = ("torch", "platform", "threads")


class RunFile:
    """The runs in a file, in the order of the catalogue.

    Args:
        path: The file; it is made with the first job.
        quick: Whether the jobs have reduced size.

    Raises:
        ResultsFileError: if the runs in the file were made in another environment or at another
            size, so that they do not belong into one table with new ones.
    """

    def __init__(self, path: Path, *, quick: bool = False) -> None:
        self.path = path
        self.done = read_reproduction(path) if path.exists() else _empty(quick)
        if self.done.quick != quick:
            size = {True: "reduced", False: "full"}
            raise ResultsFileError(
                f"{path}: expected runs at {size[quick]} size, got runs at "
                f"{size[self.done.quick]} size; choose another file"
            )
        here, there = _bits(environment()), _bits(self.done.environment)
        if here != there:
            raise ResultsFileError(
                f"{path}: expected runs made with {_text(here)}, got {_text(there)}; "
                "choose another file"
            )

    def read(self, kind: type[Job]) -> dict[str, Job]:
        """The jobs of the file by name."""
        return {job.name: job for job in self.done.jobs}

    def append(self, job: Job) -> None:
        """Add a job, in place of an older one of the same name, and write the file."""
        jobs = self.read(Job) | {job.name: job}
        place = _places()
        order = sorted(
            jobs.values(), key=lambda j: (*place.get((j.experiment, j.row), _LAST), j.seed)
        )
        self.done = Reproduction(self.done.environment, self.done.quick, tuple(order))
        write_reproduction(self.done, self.path)


_LAST = (10**6, 0)


def _places() -> dict[tuple[str, str], tuple[int, int]]:
    """The place of every row in the catalogue."""
    return {
        (entry.name, row.name): (i, j)
        for i, entry in enumerate(experiments())
        for j, row in enumerate(entry.load().rows)
    }


def _empty(quick: bool) -> Reproduction:
    return Reproduction(environment(), quick, ())


def _bits(where: dict[str, Any]) -> dict[str, Any]:
    return {key: where.get(key) for key in BITS_DEPEND_ON}


def _text(where: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in where.items())
