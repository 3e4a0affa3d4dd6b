"""Leaks from the future.

A network that predicts the next element of a sequence must not see it. The inputs after a position
are changed; if the outputs up to that position change, the future leaks. This counts as a fault if
the targets are the inputs shifted by one, that is, if the network has to predict the next input.

:source: Vaswani et al. (2017), "Attention is all you need", Section 3.2.3, on masking.
:kind: exam
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.class_targets import classes_last
from corollary.exams.network_changes import mixing_reshapes
from corollary.exams.places import asked_offset
from corollary.exams.readings import rounded
from corollary.theory.modules.trace import Call

SAMPLES = 8
ROUNDING = 1e-4  # of the outputs' spread


class Causality(Exam):
    """Change later inputs and compare earlier outputs."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The exam is for modules with one output per position of their input."""
        leak = _leak(subject)
        # Rounding differs with the reductions chosen for other values, not with the mathematics.
        leaks = leak > ROUNDING
        batch = subject.data(SAMPLES)
        with subject.borrowed():
            offset = asked_offset(subject, batch)
        asked = offset > 0 if offset is not None else _predicts_next(batch)
        mixing = mixing_reshapes(subject) if leaks and asked else []
        yield self.finding(
            _title(leaks, asked),
            severity=Severity.HIGH if leaks and asked else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            quantity="change of earlier outputs",
            value=rounded(leak) if leaks else None,
            unit="times the spread of the outputs",
            expected="0" if asked else "",
            meaning=_meaning(leaks, asked),
            where=mixing[0].name if mixing else "",
            advice=_advice(mixing) if leaks and asked else "",
            change="- logits.view(n, k, -1)\n+ logits.transpose(1, 2)" if mixing else "",
        )


def _with_other_future(batch: Batch, x: Tensor, cut: int) -> Batch:
    other = x.clone()
    # Reversed samples keep the range of values, be they token ids or numbers.
    other[:, cut:] = x[:, cut:].flip(1).roll(1, 0)
    return batch.with_inputs(other, *batch.tensors()[1:])


def _predicts_next(batch: Batch) -> bool:
    """Whether the targets are the next inputs, judged by their values."""
    x, target = batch.tensors()[0], batch.target
    if not isinstance(target, Tensor) or target.shape != x.shape or x.shape[1] < 2:
        return False
    return bool((target[:, :-1] == x[:, 1:]).cpu().double().mean() > 0.9)


def looks_ahead(subject: Subject) -> bool | None:
    """Whether outputs depend on later positions; None if there is no output at every position."""
    try:
        return _leak(subject) > ROUNDING
    except NotApplicableError:
        return None


def _leak(subject: Subject) -> float:
    """How much outputs change with later inputs, in units of their spread."""
    batch = subject.data(SAMPLES)
    x = batch.tensors()[0] if batch.tensors() else None
    with subject.borrowed(), torch.no_grad():
        y = classes_last(subject, subject.output(batch), batch.target)
        if x is None or x.dim() < 2 or y.dim() < 2 or x.shape[:2] != y.shape[:2]:
            raise NotApplicableError(
                "the network does not give one output per position of the input"
            )
        if x.shape[1] < 4 or y.dim() == 2 and x.is_floating_point():
            raise NotApplicableError("the input is not a sequence of at least four positions")
        cut = x.shape[1] // 2
        other = subject.output(_with_other_future(batch, x, cut))
        changed = classes_last(subject, other, batch.target)
    scale = float(y.cpu().double().std()) or 1.0
    return float((changed - y)[:, :cut].abs().max()) / scale


def _advice(mixing: list[Call]) -> str:
    if mixing:
        return (
            f"Use transpose(1, 2) or permute instead of '{mixing[0].op}'. A {mixing[0].op} "
            "(or reshape) keeps the order of the numbers in memory and mixes positions with "
            "channels."
        )
    return (
        "Mask attention to later positions (is_causal=True), pad convolutions on the left "
        "only, and do not use bidirectional layers."
    )


def _title(leaks: bool, asked: bool) -> str:
    if not leaks:
        return "No output looks ahead"
    return "The future leaks into the past" if asked else "Outputs look ahead"


def _meaning(leaks: bool, asked: bool) -> str:
    if not leaks:
        return "Each output depends only on its own position and earlier ones."
    if asked:
        return "The network should predict the next element, but its input contains that element."
    return (
        "Outputs depend on later positions. This is fine unless the network is meant to "
        "predict these positions."
    )
