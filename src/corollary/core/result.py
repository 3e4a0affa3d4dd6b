"""The outcome of a check: numbers, lists and strings, ready for JSON and back."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from corollary.core.figure import Figure
from corollary.core.hypothesis import Hypothesis
from corollary.core.measurement import Reading
from corollary.core.numbers import from_json_number, short, to_json_number
from corollary.core.relations import Comparison
from corollary.core.verdict import Verdict

_BEFORE = {"≤": "at most ", "<": "less than ", "≥": "at least ", ">": "more than ", "≈": "about "}
_BEFORE |= {"≲": "at most ", "≳": "at least ", "→": "tends to "}
EXPONENTS = "∝≲≳"  # relations between exponents


def comparison_words(relation: str, measured: str, predicted: str) -> str:
    """A comparison in words.

    Example:
        >>> comparison_words("≤", "15", "100")
        'measured 15 (predicted: at most 100)'
        >>> comparison_words("∝", "-0.48", "-0.5")
        'measured exponent -0.48 (predicted: -0.5)'
    """
    name = "exponent " if relation and relation in EXPONENTS else ""
    return f"measured {name}{measured} (predicted: {_BEFORE.get(relation, '')}{predicted})"


@dataclass(frozen=True)
class Refutation:
    """What happens without a hypothesis: which one was broken, and how the conclusion fails."""

    broken: tuple[str, ...]
    words: str  # what happens without the hypothesis, in one sentence
    predicted: tuple[float, ...]
    measured: tuple[Reading, ...]
    worst: int  # index of the comparison that decides
    ratio: float
    fails: bool  # whether the relation is violated; in a counterexample it should be

    @property
    def sentence(self) -> str:
        """What happens, and the numbers that show it."""
        predicted, measured = self.predicted[self.worst], self.measured[self.worst].value
        numbers = f"predicted {short(predicted)}, measured {short(measured)}"
        return f"{self.words} Without “{'; '.join(self.broken)}”: {numbers}.".strip()


@dataclass(frozen=True)
class Result:
    """One claim, checked once."""

    name: str
    title: str
    verdict: Verdict
    seed: int | None = None  # seed of the instance; None if the caller passed the data
    parameters: dict[str, Any] = field(default_factory=dict)
    hypotheses: tuple[Hypothesis, ...] = ()
    relation: str = ""
    tolerance: str = ""
    predicted: tuple[float, ...] = ()
    measured: tuple[Reading, ...] = ()
    worst: int = 0  # index of the comparison that decides
    ratio: float | None = None
    attained: float | None = None  # smaller / larger side at the tightest instance
    note: str = ""
    symbols: tuple[str, str] = ("predicted", "measured")  # prediction, measurement
    rows: tuple[str, ...] = ()  # labels of the comparisons
    counterexamples: tuple[Refutation, ...] = ()  # one per hypothesis
    figures: tuple[Figure, ...] = ()

    def __repr__(self) -> str:
        return f"{self.name} {self.sentence}"

    @property
    def counterexample(self) -> Refutation | None:
        """The first counterexample."""
        return self.counterexamples[0] if self.counterexamples else None

    @property
    def sentence(self) -> str:
        """The outcome in one line."""
        if not self.predicted:
            broken = [h.statement for h in self.hypotheses if not h.holds]
            why = f"this hypothesis does not hold: {'; '.join(broken)}" if broken else self.note
            return f"{self.verdict}: {why or self.verdict.meaning}"
        measured, predicted = self.measured[self.worst].value, self.predicted[self.worst]
        compared = comparison_words(self.relation, short(measured), short(predicted))
        text = f"{self.verdict}: {compared}"
        if len(self.predicted) > 1:
            text += f" in the worst of {len(self.predicted)} comparisons"
        return text + (f" ({self.note})" if self.note else "")

    def to_json(self) -> dict[str, Any]:
        """Plain data with strict-JSON numbers; keys are the field names."""
        out: dict[str, Any] = _plain(dataclasses.asdict(dataclasses.replace(self, figures=())))
        return out | {"figures": [f.to_json() for f in self.figures]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Result":
        """The inverse of :meth:`to_json`."""
        return cls(
            **data
            | {
                "verdict": Verdict(data["verdict"]),
                "parameters": {k: _tupled(v) for k, v in data["parameters"].items()},
                "hypotheses": tuple(Hypothesis(**h) for h in data["hypotheses"]),
                "predicted": tuple(map(from_json_number, data["predicted"])),
                "measured": _readings(data["measured"]),
                "ratio": _number(data["ratio"]),
                "attained": _number(data["attained"]),
                "symbols": tuple(data["symbols"]),
                "rows": tuple(data["rows"]),
                "counterexamples": tuple(map(_refutation, data["counterexamples"])),
                "figures": tuple(Figure.from_json(f) for f in data["figures"]),
            }
        )

    def _repr_html_(self) -> str:
        from corollary.report.html import result_html

        return result_html(self)


def refutation(broken: tuple[str, ...], words: str, comparison: Comparison) -> Refutation:
    """Record a counterexample's comparison."""
    return Refutation(
        broken,
        words,
        comparison.predicted,
        comparison.measured,
        comparison.worst,
        comparison.ratio,
        comparison.verdict is Verdict.FAILS,
    )


def _refutation(data: dict[str, Any]) -> Refutation:
    return Refutation(
        tuple(data["broken"]),
        data["words"],
        tuple(map(from_json_number, data["predicted"])),
        _readings(data["measured"]),
        data["worst"],
        from_json_number(data["ratio"]),
        data["fails"],
    )


def _number(value: Any) -> float | None:
    return None if value is None else from_json_number(value)


def _readings(data: list[dict[str, Any]]) -> tuple[Reading, ...]:
    return tuple(Reading(**{k: from_json_number(v) for k, v in r.items()}) for r in data)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, Verdict):
        return value.value
    return to_json_number(value) if isinstance(value, float) else value


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
