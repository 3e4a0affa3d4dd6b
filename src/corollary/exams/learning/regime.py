r"""Lazy or feature learning.

The tangent kernel on a probe of samples before and after a short training. A network that learns
lazily keeps it; one that learns features turns it, usually towards the labels. The turn is
:math:`1 - \cos(K_0, K_t)`: below 1 % the run is a kernel method's, above 10 % it is not.

:source: Jacot, Gabriel and Hongler (2018), "Neural tangent kernel"; Chizat, Oyallon and Bach
    (2019), "On lazy training in differentiable programming"; Fort et al. (2020), "Deep learning
    versus kernel learning".
:kind: exam
:cost: seconds
"""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.core import Budget, Exam, Finding, Reading, Severity, Subject
from corollary.exams.landscapes import tangent_kernel
from corollary.exams.short_training import short_training
from corollary.theory.kernels.empirical import regime

SAMPLES = 48


class LearningRegime(Exam):
    """The tangent kernel before and after a few steps."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Regime, and alignment with the labels."""
        with subject.borrowed() as model:
            run = short_training(subject, budget, SAMPLES)
            before = tangent_kernel(subject, model, run.inputs)
            history = run.run(model)
            after = tangent_kernel(subject, model, run.inputs)
        found = regime(before, after, _columns(run.batch.target).double())
        yield self.finding(
            f"Regime of learning: {found.name}",
            value=Reading(found.turn, found.turn, found.turn),
            unit=f"turn of the kernel in {history.steps} steps",
            expected="below 0.01 lazy, above 0.1 feature learning",
            meaning=_MEANINGS[found.name],
            details={"drift": found.drift, "step": run.step},
        )
        gain = found.alignment_after - found.alignment_before
        yield self.finding(
            "Alignment of the kernel with the labels",
            value=Reading(found.alignment_after, found.alignment_after, found.alignment_after),
            expected=f"it was {found.alignment_before:.3g} at the start",
            meaning="Training turns the kernel towards the labels."
            if gain > 0
            else "Training does not turn the kernel towards the labels.",
        )
        yield self._progress(history.losses)

    def _progress(self, losses: list[float]) -> Finding:
        ratio = losses[-1] / losses[0] if losses[0] else 1.0
        stuck = not ratio < 1
        return self.finding(
            "The loss does not fall" if stuck else "The loss falls",
            severity=Severity.HIGH if stuck else Severity.NONE,
            where="the loss",
            value=Reading(ratio, ratio, ratio),
            unit=f"of its start after {len(losses)} steps",
            expected="below 1 at half the largest stable step",
            meaning="At a step size that should be safe, training makes no progress."
            if stuck
            else "At half the largest stable step, training makes progress.",
            advice="Look at the findings on gradients first: nothing can be learned here."
            if stuck
            else "",
        )


_MEANINGS = {
    "lazy": "It learns like a kernel machine: its features hardly move.",
    "mixed": "Its features move a little while it learns.",
    "feature learning": "It learns features: its kernel turns while it trains.",
}


def _columns(target: Tensor) -> Tensor:
    """Targets as numbers: classes as centred indicators."""
    if target.is_floating_point():
        return target.reshape(len(target), -1)
    hot = F.one_hot(target.reshape(len(target), -1)[:, 0].clamp(min=0)).to(torch.float64)
    return hot - hot.mean(0)
