"""Finite numbers.

Outputs, loss and gradients on the data, and outputs for inputs of zeros and for inputs a thousand
times as large. A logarithm or a quotient that meets zero, or an exponential that meets a large
number, shows here before it shows in training; the first layer whose output is not finite is named.

:source: Goodfellow, Bengio and Courville (2016), Deep Learning, Section 4.1 on overflow and
    underflow.
:kind: exam
"""

import re
from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor

from corollary.core import Batch, Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.train.diagnosis import broken_parameters, first_broken_layer, is_finite

SAMPLES = 64
LARGE = 1e3  # a scale that unnormalised measurements easily have


class Finite(Exam):
    """Looks for NaN and infinite numbers where they would first appear."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Parameters, then outputs on the data, on zeros and on large inputs, then gradients."""
        batch = _finite_rows(subject.data(SAMPLES))
        with subject.borrowed() as model:
            bad = broken_parameters(model)
            if bad:
                yield self._fault("NaN or infinite parameters", bad[0], Severity.HIGH)
                return
            trials = [("the data", batch, Severity.HIGH)]
            if any(t.is_floating_point() for t in batch.tensors()):
                trials += [
                    ("inputs of zeros", _scaled(batch, 0.0), Severity.MEDIUM),
                    ("inputs a thousand times as large", _scaled(batch, LARGE), Severity.LOW),
                ]
            wrong = False
            for what, trial, severity in trials:
                with torch.no_grad():
                    output = subject.output(trial)
                    if not is_finite(output):
                        layer = _path(first_broken_layer(model, partial(subject.call, trial)))
                        found = self._fault(f"NaN or infinite outputs on {what}", layer, severity)
                        yield found
                        wrong = True
                        break
            if not wrong:
                yield from self._gradients(subject, batch)

    def _gradients(self, subject: Subject, batch: Batch) -> Iterator[Finding]:
        parameters = subject.parameters()
        try:
            subject.labelled(1)
            loss = subject.loss(batch)
        except NotApplicableError:
            yield self.finding("All outputs are finite", meaning="No NaN or infinity was found.")
            return
        if not is_finite(loss):
            yield self._fault("The loss is not finite", "", Severity.HIGH)
            return
        grads: tuple[Tensor | None, ...] = ()
        if parameters and loss.requires_grad:
            grads = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
        for name, grad in zip(parameters, grads, strict=False):
            if grad is not None and not is_finite(grad):
                yield self._fault("NaN or infinite gradient", name, Severity.HIGH)
                return
        yield self.finding(
            "Outputs, loss and gradients are finite", meaning="No NaN or infinity was found."
        )

    def _fault(self, title: str, where: str, severity: Severity) -> Finding:
        place = f"the inputs and the computation of '{where}'" if where else "the last operation"
        return self.finding(
            title,
            severity=severity,
            evidence=Evidence.CONFIRMED,
            where=where,
            meaning="One training step spreads a NaN or an infinity to every weight.",
            advice=f"Look at {place}, and guard logarithms, roots, quotients and exponentials "
            "against zero and overflow.",
        )


def _finite_rows(batch: Batch) -> Batch:
    """Samples without NaN or infinite values; another exam reports those."""
    fine = torch.ones(batch.size, dtype=torch.bool)
    for t in batch.tensors():
        if t.is_floating_point() and t.layout is torch.strided and len(t) == batch.size:
            fine &= torch.isfinite(t).reshape(len(t), -1).all(1).cpu()
    if not bool(fine.any()):
        raise NotApplicableError("no sample of the data has only finite values")
    return batch if bool(fine.all()) else batch.slice(fine.nonzero()[:, 0])


def _path(said: str | None) -> str:
    """The path in the name of a layer, ``the layer 'body.0' (Linear)``."""
    found = re.search("'(.*)'", said or "")
    return found.group(1) if found else ""


def _scaled(batch: Batch, factor: float) -> Batch:
    return batch.with_inputs(*(t * factor if t.is_floating_point() else t for t in batch.tensors()))
