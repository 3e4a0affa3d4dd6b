"""One argument of one call is spoilt at a time, and the result is judged."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from bad_input.allowed import is_allowed
from bad_input.examples import Public, replica
from bad_input.outcomes import Outcome, has_nan, looks_good, outcome
from bad_input.spoils import FINITE, Change, misfits, nan, places, to


@dataclass
class Call:
    """A call from the examples, of which one argument is changed."""

    entry: Public
    arguments: dict[str, Any]
    name: str  # of the argument

    def with_argument(self, change: Change) -> Outcome:
        """What the call gives with the argument changed."""
        arguments = replica(self.arguments)
        arguments[self.name] = change(arguments[self.name])
        return outcome(self.entry, arguments)


def swallowed(call: Call, place: Callable[[Any, Change], Any], bad: Outcome) -> list[str]:
    """The numbers of the result that depend on this place in the argument and are not NaN.

    A count or a choice cannot be NaN; it may stand beside a number of the same result that is.
    """
    beside = any(map(has_nan, bad.numbers.values()))
    suspects = [
        path
        for path, number in bad.numbers.items()
        if looks_good(number) and (number.is_floating_point() or not beside)
    ]
    suspects = [path for path in suspects if not is_allowed(call.entry.name, path)]
    if not suspects:
        return []
    good, found = call.with_argument(lambda v: v), set()
    for change in FINITE:
        other = call.with_argument(lambda v, change=change: place(v, change))
        if other.kind == "returned":
            found |= {p for p in suspects if differ(good.numbers.get(p), other.numbers.get(p))}
    return sorted(found)


def differ(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
    """Whether two numbers at the same place of two results are not the same."""
    if a is None or b is None:
        return a is not b
    return a.shape != b.shape or not torch.equal(a, b)


def spoilt(call: Call) -> Iterator[tuple[str, Outcome]]:
    """Each way to spoil the argument, with what the call then gives."""
    value = call.arguments[call.name]
    for kind, place in places(value):
        bad = call.with_argument(lambda v, place=place: place(v, nan))
        if paths := swallowed(call, place, bad):
            shown = {path: bad.numbers[path].flatten()[:3].tolist() for path in paths[:3]}
            bad = Outcome("swallowed", str(shown)[:200])
        yield kind, bad
    for kind, change in misfits(value):
        yield kind, call.with_argument(change)
    parameter = call.entry.signature.parameters[call.name]
    loose = any(word in str(parameter.annotation) for word in ("None", "Any", "object"))
    if value is not None and parameter.default is not None and not loose:
        yield "None", call.with_argument(to(None))


def calls(entry: Public, seconds: float) -> Iterator[Call]:
    """The recorded calls that can be made again in this time, once for each argument."""
    for arguments in entry.calls:
        start = time.process_time()
        again = outcome(entry, replica(arguments)).kind == "returned"
        if again and time.process_time() - start < seconds:
            yield from (Call(entry, arguments, name) for name in entry.spoilable)


def walk(entries: list[Public], seconds: float) -> dict[str, Any]:
    """Spoil every argument of every call; the counts and, by kind, the calls that went wrong."""
    walked: set[str] = set()
    tally: Counter[str] = Counter()
    faults: dict[str, list[str]] = {"swallowed": [], "hung": [], "raw error": []}
    for entry in entries:
        for call in calls(entry, seconds):
            walked.add(entry.name)
            for kind, given in spoilt(call):
                tally[given.kind] += 1
                if given.kind in faults:
                    faults[given.kind].append(f"{entry.name}({call.name}: {kind}): {given.what}")
    return {"public": len(entries), "walked": len(walked), "calls": tally.total(), **faults}
