"""A bug of a training loop: the loop with it, the loop without it, what should be said."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any, Protocol

import torch

from corollary.core import Severity
from corollary.watch.watcher import Watcher, watch

ALARM = Severity.MEDIUM  # from here on an event is an alarm
Watch = Callable[..., Watcher]
Loop = Callable[[Watch, bool], Any]


class Planted(Protocol):
    """What a benchmark of loops needs of a bug."""

    @property
    def name(self) -> str: ...
    @property
    def causes(self) -> tuple[str, ...]: ...
    @property
    def loop(self) -> Loop: ...
    def hits(self, events: Iterable[Any], twin: Iterable[Any]) -> list[Any]: ...


@dataclass(frozen=True)
class Bug:
    """One bug. ``loop(watch, broken)`` trains with the bug or without it.

    A loop inside a trainer, which is watched by a callback, gives the callback's watcher back.
    """

    name: str
    causes: tuple[str, ...]  # any of these names the bug; * stands for the rest of a name
    loop: Loop

    def hits(self, events: Iterable[Any], twin: Iterable[Any]) -> list[Any]:
        """Events of the loop with one of the names."""
        return [e for e in events if any(fnmatch(e.cause, c) for c in self.causes)]


@dataclass(frozen=True)
class Outcome:
    """What the watcher said of a loop and of its twin."""

    name: str
    expected: tuple[str, ...]
    found: bool
    step: int | None  # steps from the start to the event
    said: tuple[str, ...]  # everything that was said of the loop, with severities
    alarms: tuple[str, ...]  # medium and high events of the correct twin
    problems: tuple[str, ...]  # of the watcher itself
    seconds: float


def tried(bug: Planted, seed: int = 0) -> Outcome:
    """Run the loop and its twin."""
    began = time.perf_counter()
    broken, healthy = _run(bug.loop, True, seed), _run(bug.loop, False, seed)
    hits = bug.hits(broken.events, healthy.events)
    return Outcome(
        bug.name,
        bug.causes,
        bool(hits),
        min((e.step for e in hits), default=None),
        tuple(f"{e.cause} ({e.severity}, step {e.step})" for e in broken.events),
        tuple(
            f"{e.cause} ({e.severity}, step {e.step})"
            for e in healthy.events
            if e.severity.rank >= ALARM.rank
        ),
        tuple(broken.problems + healthy.problems),
        time.perf_counter() - began,
    )


def _run(loop: Loop, broken: bool, seed: int) -> Watcher:
    made: list[Watcher] = []

    def quiet_watch(*args: Any, **options: Any) -> Watcher:
        made.append(watch(*args, **({"to": None, "quiet": True} | options)))
        return made[-1]

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            given = loop(quiet_watch, broken)
        finally:
            for watcher in made:
                watcher.close()
    return made[0] if made else given
