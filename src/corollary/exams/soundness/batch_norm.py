r"""Batch norm at your batch size.

A batch-normalisation layer estimates mean and variance from the :math:`m` values of a channel in a
batch (samples times positions). The relative errors of these estimates are about :math:`1/\sqrt m`
and :math:`\sqrt{2/(m-1)}` respectively. For :math:`m < 9` the variance is off by more than a half,
and for :math:`m = 1` the output is the bias for every input.

:source: Ioffe and Szegedy (2015), "Batch normalization"; Wu and He (2018), "Group normalization",
    Section 1, on small batches.
:kind: exam
"""

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted

FEW = 9  # values per channel: below, the variance is off by more than a half


class BatchNorm(Exam):
    """Values per channel in the user's batches."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The layer with the fewest values."""
        norms = {n for n, m in subject.model.named_modules() if isinstance(m, _BatchNorm)}
        if not norms:
            raise NotApplicableError("there is no batch normalisation")
        if subject.batch_size is None:
            raise NotApplicableError("this exam needs your batch size; pass batch_size")
        values = _values_a_sample(subject, norms)
        if not values:
            raise NotApplicableError("forward calls no batch normalisation layer")
        name = min(values, key=values.__getitem__)
        m = values[name] * subject.batch_size
        error = math.sqrt(2 / (m - 1)) if m > 1 else math.inf
        yield self.finding(
            "Too few values for batch statistics" if m < FEW else "Values for batch statistics",
            severity=Severity.HIGH if m < 2 else (Severity.MEDIUM if m < FEW else Severity.NONE),
            evidence=Evidence.CONFIRMED if m <= 2 else Evidence.PREDICTED,
            remedy="larger batches",
            where=name,
            value=counted(m),
            unit="values per channel in each batch",
            expected=f"at least {FEW}",
            meaning=f"Batch norm divides by a variance that is wrong by about {100 * error:.0f} % "
            "in each batch."
            if m > 1
            else "With one value per channel, normalisation erases its input.",
            advice="Use larger batches, or normalise by group or layer instead." if m < FEW else "",
        )


def _values_a_sample(subject: Subject, norms: set[str]) -> dict[str, int]:
    found: dict[str, int] = {}

    def watch(name: str) -> Callable[..., None]:
        def hook(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            x = inputs[0]
            found[name] = x.numel() // (x.shape[0] * x.shape[1])

        return hook

    with subject.borrowed() as model, torch.no_grad():
        for name, module in model.named_modules():
            if name in norms:
                module.register_forward_pre_hook(watch(name))
        subject.call(subject.data(2))
    return found
