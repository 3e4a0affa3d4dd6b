"""Results files, replaced all at once, so that a full disk never destroys an old file."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corollary.data.disk import write_bytes_atomically
from corollary.errors import ResultsFileError, one_line


@contextmanager
def results_errors(path: Path, doing: str) -> Iterator[None]:
    """An error of the disk becomes one sentence with the name of the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "; choose another path" if doing == "written" else ""
        raise ResultsFileError(f"{path} cannot be {doing} ({reason}){remedy}") from None


def write_atomically(path: Path, text: str) -> None:
    """Replace ``path`` by ``text`` all at once; on failure the old file stays unchanged."""
    with results_errors(path, "written"):
        if path.is_dir():
            raise IsADirectoryError(21, "the path is a folder")
        write_bytes_atomically(path, text.encode())


def check_writable(path: Path) -> None:
    """Raise now, rather than after minutes of work, if ``path`` could not be written."""
    with results_errors(path, "written"):
        if path.is_dir():
            raise IsADirectoryError(21, "the path is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent):
            pass


def read_json(path: Path) -> Any:
    """The data in a JSON file; bytes that are not UTF-8 are replaced.

    Raises:
        ResultsFileError: if there is no such file, or it is not valid JSON.
    """
    with results_errors(path, "read"):
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        why = f"line {error.lineno}: {error.msg}"
    except RecursionError:
        why = "the data is nested too deeply"
    except ValueError as error:  # a number of thousands of digits
        why = one_line(str(error))
    raise ResultsFileError(f"{path} is not valid JSON ({why})")
