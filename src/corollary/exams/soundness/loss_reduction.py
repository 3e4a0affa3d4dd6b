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

from corollary.core import Batch, Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

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
            "The loss is a sum over samples"
            if summed
            else "The loss is a mean over samples"
            if abs(ratio - 1) < 0.05
            else "Reduction of the loss",
            severity=Severity.MEDIUM if summed else Severity.NONE,
            value=rounded(ratio),
            unit="times as large for twice the samples",
            expected="1" if summed else "",
            meaning=f"The gradient grows with the batch, so with {n} samples a step is {n} times "
            "as long as with a mean."
            if summed
            else "The size of a step does not depend on the batch size.",
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
