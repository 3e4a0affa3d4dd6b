"""Files of results: replaced all at once, so a full disk never costs an old one."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corollary.data.disk import write_bytes_atomically
from corollary.errors import ResultsFileError


@contextmanager
def results_errors(path: Path, doing: str) -> Iterator[None]:
    """An error of the disk becomes one sentence with the name of the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ResultsFileError(
            f"{path} cannot be {doing} ({reason}); choose another path"
        ) from None


def write_atomically(path: Path, text: str) -> None:
    """Replace ``path`` by ``text`` all at once; on failure the old file is as it was."""
    with results_errors(path, "written"):
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        write_bytes_atomically(path, text.encode())


def check_writable(path: Path) -> None:
    """Raise now, rather than after minutes of work, if ``path`` could not be written."""
    with results_errors(path, "written"):
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent):
            pass


def read_text(path: Path) -> str:
    """The text of a file; bytes that are not UTF-8 are replaced."""
    with results_errors(path, "read"):
        return path.read_text(encoding="utf-8", errors="replace")
