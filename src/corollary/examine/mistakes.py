"""Typing mistakes that are visible in the text of a file: reported before torch is imported.

Nothing is run. What only running can reveal (a name made by ``exec``, a star import) is ignored.
"""

import ast
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from corollary.errors import InputError
from corollary.examine.datasets import known_form
from corollary.examine.hubs import hub_of, must_have_package
from corollary.examine.modules import FORM, file_of_weights, is_folder, must_exist, no_such_name
from corollary.examine.network_files import NETWORK_FILES, must_be_readable


def check_words(target: str, *data: str, loss: str = "", weights: Path | None = None) -> None:
    """Raise if an argument of a command cannot be valid; empty arguments are skipped.

    Example:
        >>> check_words("net.py:build", "digit")
        Traceback (most recent call last):
            ...
        corollary.errors.InputError: there is no file net.py
    """
    if target.endswith(".safetensors"):
        must_exist(Path(target))
    elif target.endswith(NETWORK_FILES):
        must_be_readable(Path(target))
    elif hub_of(target):
        must_have_package(target)
    elif is_folder(target):
        file_of_weights(Path(target))
    elif target:
        _check_object(target)
    for word in filter(None, data):
        (_check_object if ":" in word else known_form)(word)
    if ":" in loss:
        _check_object(loss)
    if weights is not None:
        file_of_weights(weights)


def _check_object(spec: str) -> None:
    """Raise if the file of ``file.py:name`` does not exist, or does not define that name."""
    place, _, name = spec.rpartition(":")
    path = Path(place or spec)
    if path.suffix != ".py":
        if not place or not name:
            raise InputError(FORM.format(spec))
        return  # a module that is installed, or not: Python will say
    if not path.is_file():
        raise InputError(f"there is no file {path}{_near_files(path)}")
    names = _names(path)
    if not place or not name:
        offered = f"; {path} has {', '.join(names.own or names.all)}" if names else ""
        raise InputError(FORM.format(spec) + offered)
    if names is not None and name.split(".")[0] not in names.all:
        raise no_such_name(place, name, names.own or names.all)


class Names(NamedTuple):
    """What a file has at its top level."""

    own: list[str]  # functions and classes that it defines
    all: list[str]


def _names(path: Path) -> Names | None:
    """The names that a file defines; None if it may define more."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # told with its line when it is run
    found = dict(_defined(tree.body))
    if "*" in found or "__getattr__" in found:
        return None
    return Names([n for n, own in found.items() if own], list(found))


def _defined(body: list[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """Names, and whether they are functions or classes of this file."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, not node.name.startswith("_")
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((a.asname or a.name.split(".")[0], False) for a in node.names)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id, False
            elif isinstance(inner, ast.FunctionDef | ast.ClassDef):  # below an `if` or a `try`
                yield inner.name, True
            elif isinstance(inner, ast.Call) and ast.unparse(inner.func) in ("exec", "globals"):
                yield "*", False


def _near_files(path: Path) -> str:
    try:
        names = [p.name for p in path.parent.iterdir() if p.suffix == ".py"]
    except OSError:
        return ""
    near = get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f"; did you mean {path.with_name(near[0])}?" if near else ""
