"""Where files are kept, and how they are written: all at once, so no reader sees half of one."""

import contextlib
import os
import tempfile
from pathlib import Path


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content``; the old file stays whole until the new one is on disk.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_bytes_atomically(Path(folder) / "a", b"one")
        ...     write_bytes_atomically(Path(folder) / "a", b"two")
        ...     (Path(folder) / "a").read_bytes(), os.listdir(folder)
        (b'two', ['a'])
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # mkstemp makes private files
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def cache_folder() -> Path:
    """``COROLLARY_CACHE``, else the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("COROLLARY_CACHE") or Path(home) / "corollary")


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where the system allows a folder to be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
