"""A finding of an examination: a number with its uncertainty, what it means, what to do."""

import dataclasses
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from corollary.core.figure import Figure
from corollary.core.measurement import Reading
from corollary.core.numbers import from_json_number, short, to_json_number


class Severity(StrEnum):
    """How much a finding matters to the owner of the network."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """0 for none to 3 for high, so that findings can be sorted."""
        return list(Severity).index(self)


class Evidence(StrEnum):
    """The evidence for a finding."""

    CONFIRMED = "confirmed"  # seen: an identity that was checked, or a run that showed it
    PREDICTED = "predicted"  # theory says so, and no run has shown it


class Status(StrEnum):
    """Whether an exam could give an answer."""

    DONE = "done"
    NOT_APPLICABLE = "not applicable"
    LEFT_OUT = "left out"  # it applies, and is more work than the effort allows
    FAILED = "failed"


@dataclass(frozen=True)
class Finding:
    """One answer of one exam.

    Example:
        >>> found = Finding("trainability/largest_step", "Largest stable step", Severity.HIGH,
        ...     value=Reading(0.1, 0.09, 0.11), meaning="Steps above 0.1 diverge.")
        >>> found.number
        '0.1 (0.09 to 0.11)'
        >>> Finding("soundness/inputs", "Size", quantity="mean", value=Reading(2, 2, 2)).number
        'mean = 2'
    """

    exam: str
    title: str
    severity: Severity = Severity.NONE
    status: Status = Status.DONE
    where: str = ""  # path of the layer or parameter, empty for the whole network
    quantity: str = ""  # what was measured, if the title does not name it
    value: Reading | None = None
    unit: str = ""
    expected: str = ""  # the value according to theory or to healthy networks
    meaning: str = ""  # one plain sentence
    advice: str = ""  # one plain sentence: what to do
    evidence: Evidence = Evidence.PREDICTED  # predicted by theory or confirmed by a run
    explains: tuple[str, ...] = ()  # exams whose alarms are symptoms of this finding; * is any exam
    remedy: str = ""  # name of a change that examine tries on a copy of the network
    change: str = ""  # the change to make as a code diff; empty if there is none
    claims: tuple[str, ...] = ()  # names of the claims behind this finding
    figures: tuple[Figure, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)  # more numbers of this exam

    @property
    def number(self) -> str:
        """What was measured, the value with its interval, and the unit."""
        if self.value is None:
            return ""
        v = self.value
        name = f"{self.quantity} = " if self.quantity else ""
        interval = "" if v.low == v.high else f" ({short(v.low)} to {short(v.high)})"
        return f"{name}{short(v.value)}{interval}{' ' if self.unit else ''}{self.unit}"

    def to_json(self) -> dict[str, Any]:
        """Plain data with strict-JSON numbers; keys are the field names."""
        out = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        reading = dataclasses.asdict(self.value) if self.value else None
        return out | {
            "severity": self.severity.value,
            "status": self.status.value,
            "evidence": self.evidence.value,
            "explains": list(self.explains),
            "value": {k: to_json_number(v) for k, v in reading.items()} if reading else None,
            "claims": list(self.claims),
            "figures": [figure.to_json() for figure in self.figures],
            "details": _strict(self.details),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Finding":
        """The inverse of :meth:`to_json`, except for infinities among the details."""
        value = data["value"]
        return cls(
            **data
            | {
                "severity": Severity(data["severity"]),
                "status": Status(data["status"]),
                "evidence": Evidence(data.get("evidence", Evidence.PREDICTED)),
                "explains": tuple(data.get("explains", ())),
                "value": value and Reading(**{k: from_json_number(v) for k, v in value.items()}),
                "claims": tuple(data["claims"]),
                "figures": tuple(Figure.from_json(f) for f in data["figures"]),
            }
        )


def not_applicable(exam: str, title: str, why: str) -> Finding:
    """A finding that the exam does not apply to this subject, with the reason."""
    return Finding(exam, title, status=Status.NOT_APPLICABLE, meaning=why)


def left_out(exam: str, title: str, why: str) -> Finding:
    """A finding that the exam would be too much work, with a command that runs it."""
    return Finding(exam, title, status=Status.LEFT_OUT, meaning=why)


def failed(exam: str, title: str, why: str) -> Finding:
    """A finding that the exam failed, with the error; the examination continues."""
    return Finding(exam, title, status=Status.FAILED, meaning=why)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _strict(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(v) for v in value]
    return to_json_number(value) if isinstance(value, float) else value
