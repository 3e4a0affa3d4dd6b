"""A claim's options as the fields of a form: sliders where there is a range."""

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corollary.registry import Entry, Option

WIDE = 100.0  # a range whose ends differ by this factor is walked through in powers
AROUND = 8.0  # a slider without an end of its own goes so many times beyond its default


@dataclass(frozen=True)
class Control:
    """One field: its name, its value, and its range."""

    name: str
    label: str
    form: str  # slider, number, choice, check or text
    value: str
    default: str
    whole: bool = False  # whole numbers only
    log: bool = False
    low: float | None = None  # ends of what may be typed
    high: float | None = None
    start: float = 0.0  # ends of the slider
    end: float = 1.0
    choices: tuple[str, ...] = ()


def controls(entry: Entry, given: Mapping[str, str] | None = None) -> list[Control]:
    """The fields of a claim, with values from a query where there are."""
    given = given or {}
    aliases = _aliases(entry)
    return [_control(o, given.get(o.name, text(o.default)), aliases) for o in entry.options]


def text(value: Any) -> str:
    """An option's value as the command line takes it.

    Example:
        >>> text((8, 16)), text(True), text(0.05)
        ('8,16', 'true', '0.05')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(text, value)) if isinstance(value, tuple) else str(value)


def _control(option: Option, value: str, aliases: dict[str, tuple[str, ...]]) -> Control:
    default = text(option.default)
    label = option.meaning or option.name
    choices = aliases.get(option.kind) or _choices(option.kind)
    if choices:
        return Control(option.name, label, "choice", value, default, choices=choices)
    if option.kind == "bool":
        return Control(option.name, label, "check", value, default)
    if option.kind not in ("int", "float") or isinstance(option.default, str):
        return Control(option.name, label, "text", value, default)
    return _number(option, label, value, default)


def _number(option: Option, label: str, value: str, default: str) -> Control:
    whole, number = option.kind == "int", float(option.default)
    low = option.low
    if low is None and whole and option.high is None:
        low = 1.0  # as core.options has it
    start, end = _ends(number, low, option.high, whole)
    log = start > 0 and end / start >= WIDE
    form = "slider" if end > start else "number"
    return Control(
        option.name, label, form, value, default, whole, log, low, option.high, start, end
    )


def _ends(
    default: float, low: float | None, high: float | None, whole: bool
) -> tuple[float, float]:
    """Where a slider begins and ends, inside what may be typed."""
    far = AROUND * abs(default) or 1.0
    end = min(high if high is not None else math.inf, _nice(max(far, (low or 0) + AROUND * whole)))
    if not whole and high is not None:
        end = high  # of reals the whole range is cheap to offer
    start = low if low is not None else (0.0 if default >= 0 else -_nice(far))
    if not whole and start <= 0 < default and end / default > WIDE:
        start = default / WIDE  # a linear walk would jump over all that is interesting
    return float(start), float(max(end, start))


def _nice(value: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= value * (1 - 1e-9)))


def _choices(kind: str) -> tuple[str, ...]:
    """The members of a ``Literal`` as text."""
    if not kind.startswith("Literal["):
        return ()
    inner = ast.parse(kind, mode="eval").body
    assert isinstance(inner, ast.Subscript)
    parts = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
    return tuple(str(p.value) for p in parts if isinstance(p, ast.Constant))


def _aliases(entry: Entry) -> dict[str, tuple[str, ...]]:
    """Names for ``Literal`` types: in the claim's file, or where it imports them from."""
    wanted = {o.kind for o in entry.options if o.kind.isidentifier()}
    wanted -= {"int", "float", "bool", "str"}
    if not wanted:
        return {}
    tree = ast.parse(entry.path.read_text(encoding="utf-8"))
    found = _literals(tree)
    root = entry.path.parents[2]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and {a.name for a in node.names} & wanted:
            path = root.joinpath(*(node.module or "").split(".")[1:]).with_suffix(".py")
            if path.is_file():
                found |= _literals(ast.parse(path.read_text(encoding="utf-8")))
    return {name: choices for name, choices in found.items() if name in wanted}


def _literals(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    named = (
        (node.targets[0].id, _choices(ast.unparse(node.value)))
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    )
    return {name: choices for name, choices in named if choices}
