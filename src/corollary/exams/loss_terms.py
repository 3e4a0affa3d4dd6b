"""The terms of a loss: their signs and weights.

A loss is often a sum of an error and other terms: a divergence, a penalty, the loss of another
task. If a term is subtracted instead of added, training increases it without bound. If a term has
too large a weight, the network learns only this term. The sum is split into its terms as it is
computed, and the run is repeated with one term of the other sign or with a hundredth of its weight.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from corollary.core import Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.rewiring import Rewired
from corollary.exams.runs import Run
from corollary.exams.trial_run import TrialRun, unchanged

FEW, MOST = 16, 4  # samples; terms
LIGHTER = 0.01  # of its weight
LEARNS_NOTHING = 0.8  # of a constant's errors
REFUSED = (CorollaryError, RuntimeError, ValueError, IndexError, TypeError)


@dataclass(frozen=True)
class Term:
    """A term of the sum: a number times a computed value."""

    weight: float
    value: Tensor


@dataclass(frozen=True)
class Changed:
    """The run with another weight of one term."""

    number: int  # of the term, from 1
    terms: int
    weight: float
    run: Run


def terms_of(loss: Callable[[], Tensor]) -> list[Term]:
    """The summands of a loss, with their weights.

    Example:
        >>> a, b = torch.tensor(2.0), torch.tensor(3.0)
        >>> [(t.weight, float(t.value)) for t in terms_of(lambda: a - 0.5 * b)]
        [(1.0, 2.0), (-0.5, 3.0)]
    """
    made: dict[int, list[tuple[float, Tensor]]] = {}
    alive: list[Tensor] = []

    def note(op: str, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        parts = _parts(op, args)
        if parts is None or kwargs:
            return None
        out = func(*args)
        alive.append(out)
        made[id(out)] = parts
        return out

    with Rewired(note):
        total = loss()
    return _leaves(made, 1.0, total)


def _parts(op: str, args: Any) -> list[tuple[float, Tensor]] | None:
    """The parts of a sum, a difference or a multiple of single numbers."""
    if not args or not all(_single(a) for a in args):
        return None
    first, second = args[0], args[1] if len(args) > 1 else None
    tensors = isinstance(first, Tensor) and isinstance(second, Tensor)
    if op in ("add", "sub") and tensors:
        return [(1.0, first), (1.0 if op == "add" else -1.0, second)]
    if op == "neg":
        return [(-1.0, first)]
    if op == "mul" and isinstance(second, float | int):
        return [(float(second), first)]
    if op == "div" and isinstance(second, float | int) and second:
        return [(1.0 / second, first)]
    return None


def _single(value: object) -> bool:
    return isinstance(value, float | int) or isinstance(value, Tensor) and value.dim() == 0


def _leaves(
    made: dict[int, list[tuple[float, Tensor]]], weight: float, total: Tensor
) -> list[Term]:
    if id(total) not in made:
        return [Term(weight, total)]
    return [t for w, part in made[id(total)] for t in _leaves(made, weight * w, part)]


def count_terms(subject: Subject) -> int:
    """The number of terms of the loss; 1 if the loss cannot be split."""
    batch = subject.labelled(FEW)
    try:
        with subject.borrowed(train=True):
            raw = subject.call(batch)
            return len(terms_of(lambda: subject.loss_of_raw(raw, batch.target)))
    except REFUSED:
        return 1


def below_zero(trial: TrialRun) -> bool:
    """Whether a loss of several terms starts above zero and falls below zero."""
    run = trial.run
    return run.start > 0 and run.end < -0.1 * run.start and _several(trial)


def nothing_learned(trial: TrialRun) -> bool:
    """Whether the answers are hardly better than a constant under a loss of several terms."""
    return trial.run.wrong > LEARNS_NOTHING and trial.run.risk is not None and _several(trial)


def _several(trial: TrialRun) -> bool:
    return 1 < count_terms(trial.subject) <= MOST


def other_sign(trial: TrialRun) -> Changed:
    """The best of the runs in which one term has the other sign."""
    return _best(trial, "other sign", -1.0)


def lighter(trial: TrialRun) -> Changed:
    """The best of the runs in which one term has a hundredth of its weight."""
    return _best(trial, "lighter term", LIGHTER)


def with_other_sign(trial: TrialRun) -> Run:
    """The run of :func:`other_sign`."""
    return other_sign(trial).run


def with_lighter_term(trial: TrialRun) -> Run:
    """The run of :func:`lighter`."""
    return lighter(trial).run


def _best(trial: TrialRun, key: str, factor: float) -> Changed:
    memo = trial.subject.memo
    if key not in memo:
        n = count_terms(trial.subject)
        runs = [_run(trial, i, n, factor) for i in range(n)]
        known = [c for c in runs if c.run.finite and c.run.risk is not None]
        memo[key] = min(known, key=lambda c: c.run.wrong, default=None)
    best: Changed | None = memo[key]
    if best is None:
        raise NotApplicableError("no run with another weight is finite")
    return best


def _run(trial: TrialRun, number: int, n: int, factor: float) -> Changed:
    subject, weights = trial.subject, [1.0] * n

    def loss(raw: object, target: Tensor) -> Tensor:
        terms = terms_of(partial(subject.loss_of_raw, raw, target))
        weights[:] = [t.weight for t in terms]
        parts = [t.weight * t.value for t in terms]
        parts[number] = factor * parts[number]
        return torch.stack(parts).sum()

    run = trial.with_change(unchanged, loss=loss)
    return Changed(number + 1, n, weights[number], run)
