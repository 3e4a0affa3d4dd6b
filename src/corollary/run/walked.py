"""Which steps of the courses a reader has done, kept in the user's data folder."""

import json
from collections.abc import Collection, Iterable

from corollary.data.disk import cache_folder
from corollary.run.files import write_atomically

FILE = "courses.json"


def walked() -> frozenset[str]:
    """The names of steps that are done; empty if no file exists or it is unreadable."""
    try:
        known = json.loads((cache_folder() / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    names = known.get("done") if isinstance(known, dict) else None
    return (
        frozenset(n for n in names if isinstance(n, str))
        if isinstance(names, list)
        else frozenset()
    )


def mark_done(names: Iterable[str]) -> frozenset[str]:
    """Mark steps as done.

    Raises:
        ResultsFileError: if the file cannot be written.
    """
    return _keep(walked() | set(names))


def forget(names: Iterable[str]) -> frozenset[str]:
    """Mark steps as not done.

    Raises:
        ResultsFileError: if the file cannot be written.
    """
    return _keep(walked() - set(names))


def _keep(done: Collection[str]) -> frozenset[str]:
    write_atomically(cache_folder() / FILE, json.dumps({"done": sorted(done)}, indent=1))
    return frozenset(done)
