"""Records that were read from a file: whether their fields have the types they should have.

Dataclasses do not check types, so a wrong value would show only where it is used.
"""

import dataclasses
import types
from collections.abc import Sequence
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from corollary.core.numbers import WRITTEN
from corollary.errors import ResultsFileError

DEEPEST = 50  # levels of lists and objects; ours have less than ten
LARGEST = 10**300  # of whole numbers, so that all of them are floats


def check_plain(data: Any) -> None:
    """Raise if plain data is nested too deep, or has a number that no float can hold."""
    level = [data]
    for _ in range(DEEPEST):
        if any(isinstance(v, int) and abs(v) > LARGEST for v in level):
            raise ResultsFileError("a number is too large")
        level = [part for v in level for part in _parts(v)]
        if not level:
            return
    raise ResultsFileError(f"the data has more than {DEEPEST} nested levels")


def check_record(record: Any) -> None:
    """Raise if a field of a dataclass, or of a nested dataclass, has a value of another type."""
    owner: type = type(record)
    for name, kind in _hints(owner).items():
        value = getattr(record, name)
        if not _is_of(value, kind):
            wanted = kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")
            raise ResultsFileError(
                f"expected '{name}' of a {owner.__name__} to be {wanted}, got {repr(value)[:40]}"
            )


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _parts(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()


def _is_of(value: Any, kind: Any) -> bool:
    kind = WRITTEN.get(kind, kind)
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin is Literal:
        return isinstance(value, str) and value in args
    if origin in (Union, types.UnionType):
        return any(_is_of(value, arg) for arg in args)
    if origin is dict:
        return isinstance(value, dict) and all(isinstance(key, str) for key in value)
    if origin is tuple and args[-1] is not ...:
        return _is_list(value) and len(value) == len(args) and all(map(_is_of, value, args))
    if origin in (tuple, Sequence):
        return _is_list(value) and all(_is_of(part, args[0]) for part in value)
    if kind in (int, float) and not issubclass(kind, Enum):
        return isinstance(value, kind | int) and not isinstance(value, bool)
    if isinstance(value, kind) and dataclasses.is_dataclass(value):
        check_record(value)
    return isinstance(value, kind)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
