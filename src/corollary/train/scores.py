"""How good a model is on some samples: mean loss, and the share of right answers."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from corollary.core import Batch, Count, Subject
from corollary.errors import NotApplicableError

CHUNK = 256  # samples of an evaluation at once
LEVEL = 0.95


@dataclass(frozen=True)
class Score:
    """How good a model is on some samples."""

    samples: int
    loss: float
    accuracy: float | None = None  # of a classifier
    low: float | None = None  # ends of its exact interval at 95 %
    high: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data; a loss that is not finite is null."""
        return asdict(self) | {"loss": finite(self.loss)}


def score(subject: Subject, batch: Batch) -> Score:
    """Mean loss and, of a classifier, the share of right answers with its interval."""
    total, right, answers = 0.0, 0, 0
    with subject.borrowed(), torch.no_grad():
        for i in range(0, batch.size, CHUNK):
            part = batch.slice(slice(i, i + CHUNK))
            raw = subject.call(part)
            total += float(subject.loss_of_raw(raw, part.target)) * part.size
            hits = _right_answers(subject, raw, part.target)
            right += 0 if hits is None else int(hits.sum())
            answers += 0 if hits is None else hits.numel()
    loss = total / batch.size
    if not answers:
        return Score(batch.size, loss)
    share = Count(right, answers).read(LEVEL)
    return Score(batch.size, loss, share.value, share.low, share.high)


def _right_answers(subject: Subject, raw: Any, target: Any) -> Tensor | None:
    """Whether each answer is right, which NaN never is; None where answers are not classes."""
    try:
        output = subject.pick(raw)
    except NotApplicableError:
        return None
    if not isinstance(target, Tensor) or target.is_floating_point():
        return None
    if output.numel() == target.numel():
        output = output.reshape(target.shape)
        return ((output > 0) == (target > 0)) & output.isfinite()
    last = output.shape[:-1] == target.shape
    if not last and output.dim() != target.dim() + 1:
        return None
    classes = -1 if last else 1
    return (output.argmax(classes) == target) & output.isfinite().all(classes)


def finite(value: float) -> float | None:
    """The value as JSON may have it: a number, or null."""
    return value if math.isfinite(value) else None
