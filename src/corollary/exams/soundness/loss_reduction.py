"""Loss reduction (sum or mean) and broadcasting of targets.

If the loss of a doubled batch is twice as large, the loss sums over samples: the gradient, and
with it the largest stable step, then depends on the batch size, and a learning rate found with one
batch size is wrong with another.

A loss of outputs (n, 1) and targets (n,) may be stretched by broadcasting to n by n: it compares
each output with every target, and is smallest where all answers are the mean. The loss of random
outputs then stays the same when the targets are permuted.

:source: Goyal et al. (2017), "Accurate, large minibatch SGD", Section 2.
:kind: exam
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.readings import rounded
from corollary.theory.precision import wide

SAMPLES = 32


class LossReduction(Exam):
    """The loss of a batch, and of the doubled batch."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """A ratio of 1 means a mean, a ratio of 2 means a sum."""
        batch = subject.labelled(SAMPLES)
        twice = _twice(batch)
        with subject.borrowed(), torch.no_grad():
            one, two = float(subject.loss(batch)), float(subject.loss(twice))
        if not math.isfinite(one) or not math.isfinite(two):
            raise NotApplicableError(
                f"the loss of {batch.size} samples is {one:g} and the loss of twice as many "
                f"samples is {two:g}, so sum and mean cannot be distinguished; remove NaN "
                "from the data and the weights first"
            )
        if one == 0:
            raise NotApplicableError("the loss is zero, so sum and mean look the same")
        if self._mixes(subject, batch):
            yield self._mixed(subject, batch)
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
            remedy="divided loss",
            quantity="loss of twice the samples / loss of the samples",
            value=rounded(ratio),
            expected="1" if summed else "",
            meaning=f"The gradient grows with the batch size. With {n} samples, a step is {n} "
            "times as long as with a mean."
            if summed
            else "The size of a step does not depend on the batch size.",
            advice=f"Use reduction='mean', or divide your learning rate by the batch size ({n})."
            if summed
            else "",
        )

    def _mixes(self, subject: Subject, batch: Batch) -> bool:
        """Whether the loss of random outputs stays the same when the targets are permuted."""
        target = batch.target
        with subject.borrowed(), torch.no_grad():
            output = subject.output(batch)
            alike = not isinstance(target, Tensor) or bool((target == target[:1]).all())
            if alike or output.dim() == 0 or not output.is_floating_point():
                return False
            drawn = _like(output, target, subject.rng("loss"))
            places = (target.roll(1, 0), target.flip(0), target[:1].expand_as(target))
            try:
                now = float(subject.loss_of(drawn, wide(target)))
                rolled, turned, other = (float(subject.loss_of(drawn, wide(t))) for t in places)
            except (CorollaryError, RuntimeError, ValueError, TypeError):
                return False  # a loss of more than the output; it is not judged
        # Rounding of a sum in another order, in double precision, against what other targets do:
        # a loss that reads no target is another matter.
        close = 1e-9 * abs(now)
        return max(abs(now - rolled), abs(now - turned)) <= close < 1e-3 * abs(now - other)

    def _mixed(self, subject: Subject, batch: Batch) -> Finding:
        with subject.borrowed(), torch.no_grad():
            output = tuple(subject.output(batch).shape)
        target = tuple(batch.target.shape)
        return self.finding(
            "Each output is compared with every target",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            meaning=f"Outputs of shape {output} and targets of shape {target} are broadcast "
            "against each other. Every output is compared with the targets of all "
            "samples.",
            advice="Give both the same shape: output.squeeze(1), or target.unsqueeze(1).",
        )


def _like(output: Tensor, target: Tensor, rng: torch.Generator) -> Tensor:
    """Random outputs in double precision, of the size of the targets where these are numbers."""
    drawn = wide(torch.randn(output.shape, generator=rng).to(output.device))
    if not target.is_floating_point():
        return drawn.sigmoid()
    values = wide(target)
    inside = bool(((values >= 0) & (values <= 1)).all())  # may be probabilities
    spread = float(values.std()) or 1.0
    return drawn.sigmoid() if inside else values.mean() + spread * drawn


def _twice(batch: Batch) -> Batch:
    size = batch.size

    def double(value: object) -> object:
        if isinstance(value, torch.Tensor) and value.dim() > 0 and len(value) == size:
            return torch.cat([value, value])
        return value

    named = {k: double(v) for k, v in batch.named.items()}
    return Batch(tuple(map(double, batch.inputs)), named, double(batch.target))
