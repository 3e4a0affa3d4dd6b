"""Where files are kept, and how they are written: all at once, so no reader sees half of one."""

import contextlib
import os
import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path

PART = ".part"  # how the name of a file ends that is being written


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of ``path`` when the block ends.

    The old file stays whole until the new one is on disk, and has the mode that the umask asks for.
    What writers of the same file left behind when they were killed is removed.

    Example:
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replacing(Path(folder) / "a") as draft:
        ...         _ = draft.write_text("one")
        ...     os.listdir(folder)
        ['a']
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    ours = f".{path.name}.{platform.node()}.{os.getpid()}."
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=ours, suffix=PART)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)  # mkstemp makes private files
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content``."""
    with replacing(Path(path)) as draft:
        draft.write_bytes(content)


def cache_folder() -> Path:
    """``COROLLARY_CACHE``, else the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("COROLLARY_CACHE") or Path(home) / "corollary")


def _sweep(path: Path) -> None:
    """Remove drafts of ``path`` whose writers on this machine have ended."""
    ours = f".{path.name}.{platform.node()}."
    for name in os.listdir(path.parent):
        if name.startswith(ours) and name.endswith(PART):
            pid = name.removeprefix(ours).split(".")[0]
            if pid.isdigit() and not _runs(int(pid)):
                (path.parent / name).unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where the system allows a folder to be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
