r"""Lazy or feature learning.

The exam compares the tangent kernel on some samples before and after a short training run. A
network that learns lazily keeps this kernel; a network that learns features rotates it, usually
towards the labels. The rotation is :math:`1 - \cos(K_0, K_t)`: below 1 % the run behaves like a
kernel method, above 10 % it does not. Both kernels are centred first, because a part that all
samples share (for example if the inputs have a large mean) would hide the rotation of the rest.

:source: Jacot, Gabriel and Hongler (2018), "Neural tangent kernel"; Chizat, Oyallon and Bach
    (2019), "On lazy training in differentiable programming"; Cortes, Mohri and Rostamizadeh (2012),
    "Algorithms for learning kernels based on centered alignment"; Fort et al. (2020), "Deep
    learning versus kernel learning".
:kind: exam
:cost: seconds
"""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import tangent_kernel
from corollary.exams.readings import rounded
from corollary.exams.short_training import short_training
from corollary.exams.trained import is_trained
from corollary.theory.kernels.empirical import regime

SAMPLES = 48
SAME = 0.1  # a relative change of the alignment that is not worth a word


class LearningRegime(Exam):
    """The tangent kernel before and after a few steps."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The regime, and the alignment with the labels."""
        if is_trained(subject):
            raise NotApplicableError(
                "the network has already learned these samples, and the regime shows only at "
                "the start; pass the network with newly initialised weights"
            )
        with subject.borrowed() as model:
            run = short_training(subject, budget, SAMPLES)
            before = tangent_kernel(subject, model, run.inputs)
            history = run.run(model)
            after = tangent_kernel(subject, model, run.inputs)
        targets = _columns(run.batch.target).cpu().double()
        if not bool((targets - targets.mean(0)).any()):
            raise NotApplicableError("all targets are the same, so there is nothing to learn")
        found = regime(_centred(before), _centred(after), targets)
        turn = max(found.turn, 0.0)  # of a kernel that stays, rounding makes it negative
        yield self.finding(
            _TITLES[found.name],
            quantity=f"change of direction of the tangent kernel in {history.steps} steps",
            value=rounded(100 * turn, 2) if turn > 1e-6 else rounded(0.0),
            unit="%",
            expected="lazy training below 1 %, feature learning above 10 %",
            meaning=_MEANINGS[found.name],
            details={"turn": found.turn, "drift": found.drift, "step": run.step},
        )
        yield self._alignment(found.alignment_before, found.alignment_after)
        yield self._progress(history.losses)

    def _alignment(self, before: float, after: float) -> Finding:
        way = "rotates the kernel towards" if after > before else "rotates the kernel away from"
        if abs(after - before) < SAME * abs(before):
            way = "does not change the alignment of the kernel with"
        return self.finding(
            "Alignment of the tangent kernel with the labels",
            value=rounded(after),
            unit=f"now, {before:.2g} at the start",
            meaning=f"Training {way} the labels.",
        )

    def _progress(self, losses: list[float]) -> Finding:
        ratio = losses[-1] / losses[0] if losses[0] else 1.0
        stuck = not ratio < 1
        return self.finding(
            "The loss does not fall" if stuck else "The loss falls",
            severity=Severity.HIGH if stuck else Severity.NONE,
            value=rounded(ratio),
            unit=f"times its first value after {len(losses)} steps",
            expected="below 1",
            meaning="Training makes no progress, even at a learning rate that should be stable."
            if stuck
            else "Training makes progress at a learning rate that is stable at the start.",
            advice="First fix the findings on gradients and inputs. The network learns nothing now."
            if stuck
            else "",
        )


_TITLES = {
    "lazy": "The network learns lazily",
    "mixed": "The network learns features slowly",
    "feature learning": "The network learns features",
}
_MEANINGS = {
    "lazy": "Like a kernel machine, the network fits the data with its initial features.",
    "mixed": "The features change a little while the network fits the data.",
    "feature learning": "The features change a lot while the network fits the data.",
}


def _centred(kernel: Tensor) -> Tensor:
    """The kernel of the same features after subtracting their mean over the samples."""
    kernel = kernel - kernel.mean(0, keepdim=True)
    kernel = kernel - kernel.mean(1, keepdim=True)
    if not bool(kernel.any()):
        raise NotApplicableError("the tangent kernel is the same for all samples")
    return kernel


def _columns(target: Tensor) -> Tensor:
    """Targets as numbers: classes as centred indicators."""
    if target.is_floating_point():
        return target.reshape(len(target), -1)
    hot = F.one_hot(target.clamp(min=0)).to(torch.float64)
    hot[target < 0] = 0.0  # by custom such a label is to be ignored
    return (hot - hot.mean(0)).flatten(1)
