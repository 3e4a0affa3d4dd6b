"""A subject as a classifier of real inputs, for the exams on robustness.

The size of a perturbation means something only relative to the scale of the data. This scale is
half the distance from a sample to the nearest sample with another label: no classifier that is
right on both samples can be robust beyond it. The median of this distance over the samples is
called the separation, and radii are given as fractions of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from corollary.core import Batch, Count, Reading, Subject
from corollary.errors import NotApplicableError
from corollary.exams.labelled_scores import scores_of
from corollary.theory.robustness.attack import Box
from corollary.theory.robustness.balls import ORDER, Norm
from corollary.theory.robustness.scores import is_fooled

LEVEL = 0.95  # confidence of the intervals of shares
FEWEST = 8  # right answers below which there is nothing to attack
POINTS = 512  # samples between which distances are measured
PIXELS = ((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0))  # ranges that images come in


class Scores(nn.Module):
    """The subject's logits as a function of its one input."""

    def __init__(self, subject: Subject, batch: Batch) -> None:
        super().__init__()
        self.model = subject.model
        self._given = (subject, batch)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (n, k), or one score per row."""
        subject, batch = self._given
        return subject.output(batch.with_inputs(x))


@dataclass(frozen=True)
class Classifier:
    """Logits, inputs and labels in the form that attacks need, and the box of valid inputs."""

    scores: Scores
    x: Tensor
    y: Tensor
    box: Box
    right: Tensor  # which samples are classified as labelled
    classes: int
    guessed: int = 0  # right answers that a guess among equal scores would add

    @property
    def accuracy(self) -> Count:
        """Right answers out of all; a tie counts like a guess among the equal scores."""
        return Count(int(self.right.sum()) + self.guessed, len(self.right))

    @property
    def chance(self) -> float:
        """The share of the most common label."""
        return float(self.y.unique(return_counts=True)[1].max() / len(self.y))

    def correct(self, n: int) -> "Classifier":
        """At most n samples that are classified correctly.

        Raises:
            NotApplicableError: if the answers are hardly better than the most common label.
        """
        if self.accuracy.hits < FEWEST or self.accuracy.read(LEVEL).low <= self.chance:
            raise NotApplicableError(
                f"{self.accuracy.hits} of {self.accuracy.trials} samples are classified "
                "correctly, no more than by always answering the most common label; train "
                "the network first"
            )
        rows = self.right.nonzero()[:n, 0]
        return replace(self, x=self.x[rows], y=self.y[rows], right=self.right[rows], guessed=0)

    def first(self, n: int) -> "Classifier":
        """The first n samples."""
        return replace(self, x=self.x[:n], y=self.y[:n], right=self.right[:n], guessed=0)


@contextmanager
def classifier(subject: Subject, n: int | None = None) -> Iterator[Classifier]:
    """The subject as a classifier, in evaluation mode while the block lasts.

    Raises:
        NotApplicableError: if the subject is not a classifier: its inputs are not one tensor of
            real numbers, its targets are not classes, or its outputs are not scores of classes.
    """
    batch = subject.labelled(n)
    x = _input(batch)
    with subject.borrowed():
        scores = Scores(subject, _bare(batch)).eval()
        with torch.no_grad():
            _, y = scores_of(subject, batch)
            out = _called(scores, x)
        classes = 2 if out.dim() == 1 else out.shape[1]
        yield Classifier(
            scores, x, y, box_of(subject), ~is_fooled(out, y), classes, _guessed(out, y)
        )


def separation(subject: Subject, norm: Norm) -> float:
    """Half the distance to the nearest sample with another label: the median over samples."""
    key = f"separation {norm}"
    if key not in subject.memo:
        batch = subject.labelled(POINTS)
        x, y = _input(batch).flatten(1).cpu().double(), batch.target
        if not isinstance(y, Tensor) or y.dim() != 1:
            raise NotApplicableError("the targets are not one class for each sample")
        distance = torch.cdist(x, x, p=ORDER[norm])
        distance[(y[:, None] == y).cpu()] = torch.inf
        nearest = distance.amin(1)
        known = nearest[torch.isfinite(nearest)]
        subject.memo[key] = float(known.median() / 2) if len(known) else 0.0
    found: float = subject.memo[key]
    if not found > 0:
        raise NotApplicableError("no two different samples have different labels")
    return found


def box_of(subject: Subject) -> Box:
    """The range of pixel values, if the data stays within it and nearly fills it; otherwise None.

    Data that was standardised has no such range.
    """
    low, high = (float(v) for v in _input(subject.data()).aminmax())
    for least, most in PIXELS:
        close = 0.05 * (most - least)
        if least <= low <= least + close and most - close <= high <= most:
            return least, most
    return None


def _guessed(out: Tensor, y: Tensor) -> int:
    """The expected number of correct answers, with ties broken at random."""
    if out.dim() == 1:
        return int((out == 0).cpu().double().sum() / 2)
    best = out == out.amax(1, keepdim=True)
    tied = best.sum(1) > 1
    right = best.gather(1, y[:, None].long())[:, 0] & tied
    return int((right / best.sum(1).clamp(min=1)).sum())


def share_read(hits: int, trials: int) -> Reading:
    """A share in per cent with its exact binomial interval."""
    r = Count(hits, trials).read(LEVEL)
    return Reading(*(round(100 * v, 1) for v in (r.value, r.low, r.high)))


def _input(batch: Batch) -> Tensor:
    tensors = _bare(batch).tensors()
    if len(tensors) != 1:
        raise NotApplicableError(f"expected a module with one input, got {len(tensors)}")
    x = tensors[0]
    if not x.is_floating_point():
        raise NotApplicableError("the inputs are not real numbers (token ids, for example)")
    if x.dim() < 2 or not bool(torch.isfinite(x).all()):
        raise NotApplicableError("the inputs are not rows of finite numbers")
    return x.detach()


def _called(scores: Scores, x: Tensor) -> Tensor:
    try:
        out: Tensor = scores(x)
    except Exception as error:  # whatever a forward pass may raise without its labels
        raise NotApplicableError(
            f"the network cannot be called with its inputs alone ({error})"
        ) from None
    return out[:, 0] if out.dim() == 2 and out.shape[1] == 1 else out


def _bare(batch: Batch) -> Batch:
    """The inputs without labels, which an attack must not change."""
    return Batch(batch.inputs, {k: v for k, v in batch.named.items() if k != "labels"})
