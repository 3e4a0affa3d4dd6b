"""The answers of the network after the trial run, on training samples and on held-out samples."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from corollary.core import Batch, Subject
from corollary.core.subject import FORWARD
from corollary.errors import CorollaryError
from corollary.exams.class_targets import class_numbers, classes_last
from corollary.exams.modes import steady
from corollary.exams.risks import Risk, risk_of

SAMPLES = 512  # that are answered


@dataclass(frozen=True)
class Aftermath:
    """Answers of the trained network; a field is None where there are no such answers."""

    output: Tensor | None = None  # on samples of the data, in double precision
    target: Tensor | None = None
    held_risk: Risk | None = None  # on held-out samples
    held_named: Tensor | None = None  # classes that it names there
    held_target: Tensor | None = None

    @property
    def spread(self) -> float:
        """Mean square distance of the outputs from their mean; NaN if it is not known."""
        if self.output is None or len(self.output) < 2:
            return math.nan
        rows = self.output.reshape(len(self.output), -1)
        return float((rows - rows.mean(0)).square().mean())

    def renamed_risk(self) -> float:
        """The share of held-out answers that are wrong after the classes are renamed.

        Each predicted class is mapped to the class that most of its samples have. The mapping is
        one to one, and is found by a greedy search.
        """
        named, y = self.held_named, self.held_target
        if named is None or y is None or named.shape != y.shape:
            return math.nan
        k = int(max(named.max(), y.max())) + 1
        table = torch.bincount(named * k + y, minlength=k * k).reshape(k, k).cpu().double()
        right = 0.0
        for _ in range(k):
            best = int(table.argmax())
            right += float(table.flatten()[best].clamp(min=0))
            table[best // k] = table[:, best % k] = -1
        return 1 - right / len(y)


def aftermath_of(subject: Subject, data: Batch) -> Aftermath:
    """Record the answers of the module in its current state.

    Call this after a run, inside ``borrowed``.
    """
    n = SAMPLES if subject.most is None else min(SAMPLES, FORWARD * subject.most)
    batch = data.spread(n)
    with torch.no_grad(), steady(subject.model):
        try:
            raw = subject.output(batch).cpu().double()
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return Aftermath()
        output = raw if raw.dim() > 0 and len(raw) == batch.size else None
        target = batch.target if isinstance(batch.target, Tensor) else None
        if subject.held_out is None:
            return Aftermath(output, target)
        held = subject.held_out.spread(n)
        try:
            risk = risk_of(subject, held)
            named, y = _named(subject, held)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            return Aftermath(output, target)
    return Aftermath(output, target, risk, named, y)


def _named(subject: Subject, held: Batch) -> tuple[Tensor | None, Tensor | None]:
    y = class_numbers(held.target)
    if y is None or y.dim() != 1 or bool((y < 0).any()):
        return None, None
    output = classes_last(subject, subject.output(held), y)
    if output.dim() != 2 or output.shape[1] < 3 or len(output) != len(y):
        return None, None
    return output.argmax(1), y
