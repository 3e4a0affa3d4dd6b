"""Judges an answer, given as plain data, and says in one sentence what is wrong with it.

A part of an exercise is a function ``part_a(rng)`` that yields cases: what the answer is called
with, a judge of what it returns, and, for a case that a hasty answer forgets, its name. A judge
gives the empty string for a right answer. What is compared with is computed by another route than
the one that is asked for (numerical derivatives, brute force, simulation), wherever there is one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Judge = Callable[[Any], str]
Rng = np.random.Generator
MOST = 1_000_000  # numbers in one answer
RELATIONS = {"≤": ("=", "≤"), "≥": ("=", "≥"), "=": ("=",)}


@dataclass(frozen=True)
class Case:
    """One call of an answer: the arguments, the judge, and what is special about the case."""

    given: Mapping[str, Any]
    judge: Judge
    edge: str = ""  # in words; empty for an ordinary case


@dataclass(frozen=True)
class Chain:
    """The requirements on a chain: its start, its end, its relation and values on the way."""

    start: Any
    relation: str
    end: Any
    through: Mapping[str, Any] = field(default_factory=dict)  # what has to stand in between
    least: int = 2  # steps

    def __call__(self, answer: Any) -> str:
        """The first mistake, or an empty text."""
        from corollary.core.derivation import link
        from corollary.core.proof import Step

        lines = answer.get("chain") if isinstance(answer, dict) else None
        if not isinstance(lines, list) or not lines:
            return "expected a chain that begins with let(...) and continues with eq, le or ge"
        values = [real(line["value"]) for line in lines]
        if len(lines) <= self.least:
            return f"expected at least {self.least} steps, got {len(lines) - 1}"
        if not _near(values[0], real(self.start)):
            return "the chain does not begin with the left side of the statement"
        for k, line in enumerate(lines[1:], start=1):
            if line["relation"] not in RELATIONS[self.relation]:
                return f"the relation {line['relation']} of step {k} points in the wrong direction"
            if not str(line["by"]).strip():
                return f"step {k} has no reason"
            sides = (_side(lines[k - 1]), _side(line))
            step = link(Step(sides[0], line["relation"], sides[1], str(line["by"])))
            if not step.holds:
                return f"step {k} does not hold on these numbers: {_told(step)}"
        if not _near(values[-1], real(self.end)):
            return "the chain does not end with the right side of the statement"
        for words, value in self.through.items():
            if not any(_near(other, real(value)) for other in values[1:-1]):
                return f"the chain does not go through {words}"
        return ""


def equals(
    expected: Any, mistakes: Mapping[str, Any] | None = None, *, within: float = 1e-6
) -> Judge:
    """A judge that compares numbers, and knows the results of typical mistakes.

    Args:
        expected: A number or an array.
        mistakes: What is said of an answer that equals such a value.
        within: The relative error allowed; 1e-6 is that of numerical derivatives.
    """
    wanted = real(expected)

    def judge(answer: Any) -> str:
        got = real(answer)
        if got.shape != wanted.shape:
            return f"expected {_shape(wanted)}, got {_shape(got)}"
        if _near(got, wanted, within):
            return ""
        for words, value in (mistakes or {}).items():
            if _near(got, real(value), within):
                return words
        return "the value is wrong"

    return judge


def real(answer: Any) -> Array:
    """An answer as an array of real numbers.

    Raises:
        ValueError: if it is anything else, with what was expected.
    """
    if isinstance(answer, bool) or not isinstance(
        answer, int | float | list | np.ndarray | np.floating
    ):
        raise ValueError(f"expected numbers, got {_kind(answer)}")
    try:
        out: Array = np.array(answer, dtype=float)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("expected an array of real numbers, with rows of equal length") from None
    if out.size > MOST or not np.isfinite(out).all():
        raise ValueError("expected finite numbers")
    return out


def fields(answer: Any, *names: str) -> list[Array]:
    """The arrays that an answer has under these names.

    Raises:
        ValueError: if one is missing.
    """
    if not isinstance(answer, dict):
        raise ValueError(f"expected a dictionary with {', '.join(names)}, got {_kind(answer)}")
    missing = [name for name in names if name not in answer]
    if missing:
        raise ValueError(f"expected the key {missing[0]} in the dictionary")
    return [real(answer[name]) for name in names]


def gradient(function: Callable[[Array], float], x: Array) -> Array:
    """The derivative by every entry: central differences, extrapolated once (error of order h⁴).

    Example:
        >>> gradient(lambda x: float(x @ x), np.array([1.0, 2.0])).round(6).tolist()
        [2.0, 4.0]
    """
    h = 1e-3 * max(1.0, float(np.abs(x).max(initial=0.0)))
    out = np.zeros(x.size)
    for i, e in enumerate(np.eye(x.size).reshape(x.size, *x.shape)):
        near, far = ((function(x + t * e) - function(x - t * e)) / (2 * t) for t in (h, 2 * h))
        out[i] = (4 * near - far) / 3
    return out.reshape(x.shape)


def hessian(function: Callable[[Array], float], x: Array) -> Array:
    """The second derivatives at a vector."""
    rows: Sequence[Array] = [
        gradient(lambda z, i=i: float(gradient(function, z)[i]), x)  # type: ignore[misc]  # i is bound
        for i in range(len(x))
    ]
    return np.array(rows)


def _near(got: Array, wanted: Array, within: float = 1e-6) -> bool:
    if got.shape != wanted.shape:
        return False
    scale = max(float(np.abs(wanted).max(initial=0.0)), 1e-9)
    return bool((np.abs(got - wanted) <= within * scale).all())


def _side(line: dict[str, Any]) -> Any:
    from corollary.core.proof import Side

    return Side(str(line["tex"]), real(line["value"]).tolist())


def _told(step: Any) -> str:
    left, right = step.values or (math.nan, math.nan)
    return f"{left:.6g} {step.relation} {right:.6g}"


def _shape(value: Array) -> str:
    return f"an array of shape {value.shape}" if value.shape else "a number"


def _kind(answer: Any) -> str:
    return "nothing" if answer is None else f"an object of type {type(answer).__name__}"
