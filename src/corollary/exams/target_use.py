"""Whether the loss uses the targets, and takes outputs for scores of classes; some do not."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from corollary.core import Batch, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.heads import right_and_wrong

SAMPLES = 64
ROUNDING = 1e-6  # of the loss


def targets_matter(subject: Subject) -> bool:
    """Whether the loss changes with the targets; true where it cannot be asked.

    The targets are exchanged between samples and mirrored, for the outputs of the network and for
    random ones: the mean loss of a constant answer is the same in every order.
    """
    if "targets matter" not in subject.memo:
        subject.memo["targets matter"] = _asked(subject)
    found: bool = subject.memo["targets matter"]
    return found


def need_scores(subject: Subject, output: Tensor, target: Tensor) -> None:
    """Refuse outputs that are not scores of classes, such as embeddings and latent vectors.

    Then the loss is the same where each sample has the highest score at its label, and where all
    have it at another one.

    Raises:
        NotApplicableError: if the outputs are no scores.
    """
    if "scores" not in subject.memo:
        pair = right_and_wrong(output, target, (-math.inf, math.inf))
        try:
            with torch.no_grad():
                values = [float(subject.loss_of(answer, target)) for answer in pair or ()]
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            values = []
        scores = len(values) < 2 or not math.isclose(*values, rel_tol=ROUNDING)
        subject.memo["scores"] = scores and targets_matter(subject)
    if not subject.memo["scores"]:
        raise NotApplicableError("the loss does not take the outputs for scores of the labels")


def exchanged(raw: Any, part: Tensor, other: Tensor) -> Any:
    """A raw output with one of its tensors exchanged for another.

    Example:
        >>> mean, code = torch.zeros(1), torch.ones(1)
        >>> exchanged({"mean": mean, "code": code}, code, mean)
        {'mean': tensor([0.]), 'code': tensor([0.])}
    """
    if raw is part:
        return other.to(part)
    if isinstance(raw, dict):
        return type(raw)({key: exchanged(value, part, other) for key, value in raw.items()})
    if isinstance(raw, tuple) and hasattr(raw, "_fields"):
        return type(raw)(*(exchanged(value, part, other) for value in raw))
    if isinstance(raw, tuple | list):
        return type(raw)(exchanged(value, part, other) for value in raw)
    return raw


def _asked(subject: Subject) -> bool:
    batch = subject.all_labelled().spread(SAMPLES)
    if not isinstance(batch.target, Tensor) or batch.target.is_complex():
        return True
    if "labels" in batch.named:
        return True  # the network computes its loss itself
    rng, asked = subject.rng("target use"), False
    try:
        with subject.borrowed(), torch.no_grad():
            raw = subject.call(batch)
            output = subject.pick(raw)
            drawn = torch.randn(output.shape, generator=rng).to(output)
            for answer in (raw, exchanged(raw, output, drawn)):
                own = float(subject.loss_of_raw(answer, batch.target))
                for other in _others(batch):
                    value, asked = float(subject.loss_of_raw(answer, other.target)), True
                    if not abs(value - own) <= ROUNDING * max(abs(own), abs(value)):
                        return True
    except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
        return True
    return not asked


def _others(batch: Batch) -> Iterator[Batch]:
    """The same samples with other targets."""
    target = batch.target
    yield replace(batch, target=target.roll(1, 0))
    mirrored = target.max() + target.min() - target
    if torch.equal(mirrored, target):
        mirrored = torch.where(target == 0, 1, 0).to(target)
    yield replace(batch, target=mirrored)
