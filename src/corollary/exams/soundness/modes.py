"""Train mode and eval mode.

Batch normalisation uses the batch's statistics in training and its running ones in eval mode; if
these disagree, the network that is tested is not the one that was trained. Dropout differs by
design, and its difference is shown without blame.

:source: Ioffe and Szegedy (2015), "Batch normalization", Section 3.1, on inference.
:kind: exam
:cost: instant
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted, rounded

SAMPLES = 256
# Running statistics are an average over about 10 batches, each off by 1/sqrt(batch) in mean and
# sqrt(2/batch) in variance: below a fifth of the output's size even at batches of 8.
FAR = 0.2


class Modes(Exam):
    """The output in train mode against the output in eval mode, dropout off in both."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Only for modules that behave differently in the two modes."""
        batch = subject.data(SAMPLES)
        norms = {n: m for n, m in subject.model.named_modules() if _tracks(m)}
        drops = [n for n, m in subject.model.named_modules() if isinstance(m, _DropoutNd) and m.p]
        if not norms and not drops:
            raise NotApplicableError("no layer behaves differently in training")
        if drops:
            yield self.finding(
                "Dropout",
                value=counted(len(drops)),
                unit="layer" if len(drops) == 1 else "layers",
                meaning="Random in training and quiet in eval mode, as dropout should be.",
            )
        trained = {n: m for n, m in norms.items() if int(m.num_batches_tracked) > 0}
        if not trained:
            return
        with subject.borrowed(), torch.no_grad():
            still = subject.output(batch)
            for norm in norms.values():
                norm.train()
            moving = subject.output(batch)
        gap = _distance(still, moving)
        yield self.finding(
            "Running statistics of other data" if gap > FAR else "Running statistics",
            severity=Severity.MEDIUM if gap > FAR else Severity.NONE,
            where=next(iter(trained)),
            value=rounded(gap),
            unit="of the outputs' spread between train and eval mode",
            expected=f"at most {FAR:g}",
            meaning="In eval mode the network computes something other than what was trained."
            if gap > FAR
            else "Batch statistics and running statistics agree.",
            advice="Run the training set through the network in train mode to estimate the "
            "statistics anew, or train on with data like this."
            if gap > FAR
            else "",
        )


def _tracks(module: nn.Module) -> bool:
    return isinstance(module, _BatchNorm) and module.num_batches_tracked is not None


def _distance(a: Tensor, b: Tensor) -> float:
    scale = a.double().sub(a.double().mean()).pow(2).mean().sqrt()
    return float((a - b).double().pow(2).mean().sqrt() / scale.clamp(min=1e-30))
