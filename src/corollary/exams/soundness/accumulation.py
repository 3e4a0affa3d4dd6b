r"""Gradient accumulation.

The averaged gradients of small batches should equal the gradient of the large batch. They do if the
loss of a batch is the mean of its samples' losses. A mean over tokens of sequences of different
lengths is not of this kind: each small batch divides by its own number of tokens, so short
sequences count for more. A loss that compares samples with each other is not of this kind either,
and batch normalisation has other statistics in small batches. The two gradients are computed and
compared.

:source: Goyal et al. (2017), "Accurate, large minibatch SGD", Section 2.3, on normalisation of the
    loss; Ott, Edunov, Grangier and Auli (2018), "Scaling neural machine translation", Section 3.
:kind: exam
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.modules.batchnorm import _BatchNorm

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.modes import steady
from corollary.exams.readings import rounded

SAMPLES, PARTS = 32, 4
# Sums in another order differ by rounding, some units in the last place of float32 and of half
# precision; a loss that divides by other numbers differs by their spread, some per cent at least.
TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-3}
COARSE = 3e-2  # of half precision


class Accumulation(Exam):
    """Compares the gradient of a batch with the mean gradient of its parts."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The distance between the two, relative to the gradient of the whole batch."""
        batch = subject.labelled(SAMPLES)
        if batch.size < PARTS:
            raise NotApplicableError(f"this exam needs at least {PARTS} samples")
        held = [p for p in subject.parameters().values() if not p.is_complex()]
        if not held:
            raise NotApplicableError("no parameter is trainable")
        n = batch.size // PARTS
        with subject.borrowed() as model, steady(model):
            whole = _gradient(subject, batch.first(n * PARTS), held)
            again = _gradient(subject, batch.first(n * PARTS), held)
            mean = [torch.zeros_like(g) for g in whole]
            for k in range(PARTS):
                part = _gradient(subject, batch.slice(slice(k * n, (k + 1) * n)), held)
                for m, g in zip(mean, part, strict=True):
                    m += g / PARTS
            norms = any(isinstance(m, _BatchNorm) for m in model.modules())
        square = _product(whole, whole)
        if not square > 0:
            raise NotApplicableError("the gradient is zero, so there is nothing to compare")
        tolerance = TOLERANCE.get(held[0].dtype, COARSE)
        if _distance(whole, again) > tolerance * math.sqrt(square):
            raise NotApplicableError("two passes over the same batch give different gradients")
        summed = abs(_product(mean, whole) / square - 1 / PARTS) < 0.02
        gap = _distance([(PARTS if summed else 1) * m for m in mean], whole) / math.sqrt(square)
        differs = gap > tolerance and not norms
        yield self.finding(
            "Accumulated gradients differ from the gradient of the large batch"
            if differs
            else "Gradients can be accumulated",
            severity=Severity.LOW if differs else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            value=rounded(100 * gap),
            unit=f"% difference between the gradient of {n * PARTS} samples and the gradient "
            f"accumulated over {PARTS} parts",
            expected="0 up to rounding"
            if not norms
            else "above 0 with batch norm, because batch statistics differ",
            meaning="There are two possible reasons. The loss divides by a number that differs "
            "between the parts, such as the number of unmasked tokens. Or the loss "
            "compares samples with each other."
            if differs
            else "Batch normalisation uses different statistics for each part of the batch."
            if norms
            else "The average gradient of the small batches equals the gradient of the large "
            "batch" + (", summed as the loss is." if summed else "."),
            advice="When you accumulate gradients, sum the losses and divide once by the "
            "number of tokens (or samples) in all parts."
            if differs
            else "",
        )


def _product(a: list[Tensor], b: list[Tensor]) -> float:
    """The inner product, in double precision."""
    return math.fsum(
        float(x.reshape(-1).cpu().double() @ y.reshape(-1).cpu().double())
        for x, y in zip(a, b, strict=True)
    )


def _distance(a: list[Tensor], b: list[Tensor]) -> float:
    apart = [x - y for x, y in zip(a, b, strict=True)]
    return math.sqrt(_product(apart, apart))


def _gradient(subject: Subject, batch: Batch, held: list[torch.nn.Parameter]) -> list[Tensor]:
    loss = subject.loss(batch)
    if not loss.requires_grad:
        raise NotApplicableError("the loss does not depend on any parameter")
    found = torch.autograd.grad(loss, held, allow_unused=True, materialize_grads=True)
    if not all(bool(torch.isfinite(g).all()) for g in found):
        raise NotApplicableError("the gradient is not finite")
    return [g.detach() for g in found]
