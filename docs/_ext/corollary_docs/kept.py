"""What a build has computed is kept for the next one, until the code changes."""

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any


def kept(
    name: str,
    folder: Path,
    sources: Iterable[Path],
    compute: Callable[[], Any],
    good: Callable[[Any], bool] = lambda value: True,
) -> Any:
    """The JSON value that ``compute`` gives, read from ``folder`` if no source has changed.

    A value that is not ``good`` is computed anew by the next build.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as place:
        ...     folder = Path(place)
        ...     [kept("n", folder, [], lambda n=n: n) for n in (1, 2)]
        [1, 1]
    """
    path = folder / f"{name}-{fingerprint(sources)}.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    value = compute()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{name}-*.json"):
        old.unlink()
    if good(value):
        path.write_text(json.dumps(value), encoding="utf-8")
    return value


def fingerprint(sources: Iterable[Path]) -> str:
    """Changes with the name or the content of any Python file in these folders, and with torch."""
    found = sha256(version("torch").encode())
    for folder in sources:
        for path in sorted(folder.rglob("*.py")):
            found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]
