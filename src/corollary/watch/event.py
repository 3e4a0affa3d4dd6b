"""An event: a finding with the step at which it was observed, and whether it has passed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from corollary.core.finding import Finding, Severity

# What follows from what: a mistake of the loop explains what the loss does, and so on.
_MISTAKES = ("loop/", "optimizer/", "schedule/", "accumulation/", "mode/", "scaler/", "clip/")
SYMPTOMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("loss/rises", (*_MISTAKES, "lr/", "data/")),
    ("loss/spike", (*_MISTAKES, "lr/")),
    ("loss/not_finite", ("gradient/not_finite", "scaler/", "clip/nothing", "optimizer/eps_")),
    ("data/nothing_learned", (*_MISTAKES, "lr/", "units/", "gradient/", "data/")),
    ("lr/", ("loop/", "optimizer/", "scaler/", "clip/")),
    ("units/dead", ("loop/", "lr/")),
    ("gradient/vanishes", ("loop/", "units/")),
)


@dataclass(frozen=True)
class Event:
    """One problem of a training run, reported once; ``finding.exam`` names its cause.

    Example:
        >>> Event(7, Finding("loop/zero_grad_missing", "Gradients are never cleared")).cause
        'loop/zero_grad_missing'
    """

    step: int  # the step at which the cause was first seen
    finding: Finding
    passed: int | None = (
        None  # the first step at which the cause was no longer seen; null while it is seen
    )

    @property
    def cause(self) -> str:
        """Its name in the list of causes."""
        return self.finding.exam

    @property
    def severity(self) -> Severity:
        """The severity of its finding."""
        return self.finding.severity

    def to_json(self) -> dict[str, Any]:
        """Plain data, as in a line of the record."""
        return {
            "kind": "event",
            "step": self.step,
            "passed": self.passed,
            "finding": self.finding.to_json(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Event":
        """The inverse of :meth:`to_json`."""
        return cls(int(data["step"]), Finding.from_json(data["finding"]), data.get("passed"))

    def __str__(self) -> str:
        found = self.finding
        gone = "" if self.passed is None else f" (passed at step {self.passed})"
        where = f" [{found.where}]" if found.where else ""
        said = f"step {self.step}: {found.title}{where}{gone}. {found.meaning}"
        return f"{said} {found.advice}".strip()


class Events:
    """The events of a run, merged by cause.

    Args:
        told: Called with an event when it is first reported, becomes more severe or ends.
    """

    def __init__(self, told: Callable[[Event], None] = lambda event: None) -> None:
        self.told = told
        self._all: dict[str, Event] = {}

    def __iter__(self) -> Any:
        return iter(self.sorted())

    def __len__(self) -> int:
        return len(self._all)

    def sorted(self) -> list[Event]:
        """The events, the most severe first; events that have ended come last."""
        order = sorted(self._all.values(), key=lambda e: (-e.severity.rank, e.step))
        return sorted(order, key=lambda e: e.passed is not None)

    def find(self, cause: str) -> Event | None:
        """The event of a cause, or None."""
        return self._all.get(cause)

    def say(self, step: int, finding: Finding) -> None:
        """Report the finding, unless it was reported before and is not more severe now."""
        known = self._all.get(finding.exam)
        cause = self._explained(finding.exam)
        if cause is not None:  # a symptom is a remark under its cause
            details = finding.details | {"symptom_of": cause.cause}
            finding = replace(finding, severity=Severity.LOW, details=details)
        if known is None:
            self._put(Event(step, finding))
        elif known.passed is not None or finding.severity.rank > known.severity.rank:
            self._put(Event(known.step, finding))

    def _explained(self, symptom: str) -> Event | None:
        """An open event of medium or high severity that explains this one."""
        causes = next((by for start, by in SYMPTOMS if symptom.startswith(start)), ())
        open_events = (e for e in self._all.values() if e.passed is None and e.severity.rank >= 2)
        return (
            next((e for e in open_events if e.cause.startswith(causes)), None) if causes else None
        )

    def passes(self, cause: str, step: int) -> None:
        """Mark the event as ended."""
        known = self._all.get(cause)
        if known is not None and known.passed is None:
            self._put(replace(known, passed=step))

    def explains(self, cause: str, symptom: str) -> None:
        """Handle a later finding that is the cause of an earlier one."""
        known = self._all.get(symptom)
        if known is not None and known.severity.rank >= 2:
            details = known.finding.details | {"symptom_of": cause}
            self._put(
                replace(
                    known, finding=replace(known.finding, severity=Severity.LOW, details=details)
                )
            )

    def drop(self, cause: str) -> None:
        """A later finding explains this one."""
        self._all.pop(cause, None)

    def _put(self, event: Event) -> None:
        self._all[event.cause] = event
        self.told(event)


class Streak:
    """A condition that must hold several times in a row to count.

    Example:
        >>> streak = Streak(need=2, release=2)
        >>> [streak.see(x) for x in (True, True, False, True, False, False)]
        [None, True, None, None, None, False]
    """

    def __init__(self, need: int, release: int = 50) -> None:
        self.need, self.release = need, release
        self.yes = self.no = 0
        self.on = False

    def see(self, holds: bool) -> bool | None:
        """True when the condition becomes established, False when it ends, None otherwise."""
        self.yes, self.no = (self.yes + 1, 0) if holds else (0, self.no + 1)
        if not self.on and self.yes >= self.need:
            self.on = True
            return True
        if self.on and self.no >= self.release:
            self.on = False
            return False
        return None
