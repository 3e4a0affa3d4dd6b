"""Requests of pages, checked before anything is done; an error is one sentence."""

import json
import math
from typing import Any

from starlette.requests import Request

from corollary.errors import InputError, UnknownNameError
from corollary.lab.settings import PlaySettings
from corollary.registry import Entry, find

SEEDS = 2**63  # seeds below this
ORDERS = ("run", "pause", "step", "reset", "lr", "weight", "pace")  # to a playground
HEAVIEST = 1000  # weight that a hand can set


def claim_entry(name: str) -> Entry:
    """The claim of that name; exams are asked elsewhere."""
    entry = find(name)
    if entry.is_exam:
        raise UnknownNameError(f"{entry.name} is an exam, not a claim; see the page Examine")
    return entry


async def json_object(request: Request) -> dict[str, Any]:
    """The body of a request, which must be a JSON object."""
    try:
        asked = json.loads(await request.body())
        json.dumps(asked, ensure_ascii=False).encode()  # JSON can hold half of a surrogate pair
    except UnicodeEncodeError:
        raise InputError("the request has text that is not valid Unicode") from None
    except (ValueError, RecursionError):
        raise InputError("the request is not valid JSON") from None
    if not isinstance(asked, dict):
        raise InputError("the request must be a JSON object")
    return asked


def text_of(asked: dict[str, Any], name: str, default: str | None = None) -> str:
    """A text of bounded length."""
    value = asked.get(name, default)
    if not isinstance(value, str) or len(value) > 500 or "\x00" in value:
        raise InputError(f"'{name}' must be text of at most 500 characters")
    return value.strip()


def table_of(asked: dict[str, Any], name: str) -> dict[str, Any]:
    """A JSON object inside the request."""
    value = asked.get(name, {})
    if not isinstance(value, dict):
        raise InputError(f"'{name}' must be a JSON object")
    return value


def number_of(asked: dict[str, Any], name: str) -> float | None:
    """A positive number, or None where there is none."""
    value = asked.get(name)
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 < number < math.inf:
        raise InputError(f"{name} must be a positive number, got {str(value)[:40]!r}")
    return number


def whole_of(asked: dict[str, Any], name: str) -> int | None:
    """Likewise, as a whole number."""
    number = number_of(asked, name)
    return None if number is None else max(1, int(number))


def seed_of(value: Any) -> int:
    """A seed, given as a number or as text."""
    try:
        seed = int(str(value))
    except ValueError:
        seed = -1
    if not 0 <= seed < SEEDS:
        raise InputError(f"the seed must be a whole number of at least 0, got {str(value)[:40]!r}")
    return seed


def figure_of(asked: dict[str, Any]) -> int | None:
    """The number of the one figure that is wanted, counted from 0; None for all of them."""
    value = asked.get("figure")
    if value is not None and (type(value) is not int or not 0 <= value < 100):
        raise InputError(f"'figure' must be a whole number from 0 to 99, got {str(value)[:40]!r}")
    return value


def options_of(entry: Entry, given: Any) -> dict[str, str]:
    """Options as text, as the command line has them; the worker reads them by their types."""
    if not isinstance(given, dict):
        raise InputError("'options' must be a JSON object")
    known = [option.name for option in entry.options]
    for name, value in given.items():
        if name not in known:
            has = ", ".join(known) or "none"
            raise InputError(f"{entry.stem} has no option '{str(name)[:40]}'; its options: {has}")
        if not isinstance(value, str) or len(value) > 500:
            raise InputError(f"the value of '{name}' must be text of at most 500 characters")
    return dict(given)


def order_of_play(do: str, asked: dict[str, Any]) -> dict[str, Any]:
    """What a playground may be told to do."""
    if do in ("run", "pause", "step"):
        return {"do": do}
    if do == "reset":
        return {"do": do, "settings": vars(PlaySettings.of(table_of(asked, "settings")))}
    if do == "lr":
        return {"do": do, "lr": PlaySettings.of({"lr": asked.get("lr")}).lr}
    if do == "weight":
        return {"do": do, **_weight(asked)}
    if do == "pace" and asked.get("pace") in (1, 10, 100):
        return {"do": do, "pace": asked["pace"]}
    raise InputError(f"a playground accepts the commands {', '.join(ORDERS)}, got '{do[:40]}'")


def _weight(asked: dict[str, Any]) -> dict[str, Any]:
    """Which weight, counted from 0 (the source ``null`` is the bias), and its new value."""
    place = [asked.get(name) for name in ("layer", "unit", "source")]
    if place[2] is None:
        place[2] = 0
    value: Any = asked.get("value")
    if not all(type(part) is int and 0 <= part < 1000 for part in place):
        raise InputError("'layer', 'unit' and 'source' must be whole numbers of at least 0")
    if type(value) not in (int, float) or not abs(value) <= HEAVIEST:
        raise InputError(f"'value' must be a number between -{HEAVIEST} and {HEAVIEST}")
    return {name: asked.get(name) for name in ("layer", "unit", "source")} | {"value": float(value)}
