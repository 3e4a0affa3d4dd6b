"""Sum or mean.

If the loss of a batch taken twice is twice as large, the loss sums over samples: the gradient, and
with it the largest stable step, then depends on the batch size, and a step size found with one
batch size is wrong with another.

:source: Goyal et al. (2017), "Accurate, large minibatch SGD", Section 2, on scaling the step size.
:kind: exam
:cost: instant
"""

from collections.abc import Iterator

import torch

from corollary.core import Batch, Budget, Exam, Finding, Reading, Severity, Subject
from corollary.errors import NotApplicableError

SAMPLES = 32


class LossReduction(Exam):
    """The loss of a batch, and of the batch twice."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """A ratio of 1 is a mean, of 2 a sum."""
        batch = subject.labelled(SAMPLES)
        twice = _twice(batch)
        with subject.borrowed(), torch.no_grad():
            one, two = float(subject.loss(batch)), float(subject.loss(twice))
        if one == 0:
            raise NotApplicableError("the loss is zero, so sum and mean look the same")
        ratio = two / one
        summed = abs(ratio - 2) < 0.05
        n = subject.batch_size or batch.size
        yield self.finding(
            "The loss is a sum over samples" if summed else "Reduction of the loss",
            severity=Severity.MEDIUM if summed else Severity.NONE,
            where="the loss",
            value=Reading(ratio, ratio, ratio),
            unit="times for twice the samples",
            expected="1 for a mean",
            meaning=f"The gradient grows with the batch: at {n} samples it is {n} times the mean's."
            if summed
            else "The loss does not grow with the batch.",
            advice=f"Use reduction='mean', or divide your step size by the batch size ({n})."
            if summed
            else "",
        )


def _twice(batch: Batch) -> Batch:
    size = batch.size

    def double(value: object) -> object:
        whole = isinstance(value, torch.Tensor) and value.dim() > 0 and len(value) == size
        return torch.cat([value, value]) if whole else value  # type: ignore[list-item]

    named = {k: double(v) for k, v in batch.named.items()}
    return Batch(tuple(map(double, batch.inputs)), named, double(batch.target))
