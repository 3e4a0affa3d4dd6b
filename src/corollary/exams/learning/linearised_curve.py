r"""The training curve, predicted by the linearised network.

The network is replaced by its first-order expansion in the parameters, which is trained by the
same steps; its loss is a prediction of the real curve. How far the prediction can be trusted is
stated before the real run is looked at: along the linearised path, loss and gradient of the network
itself are compared with those of the expansion. With gradients :math:`g` and :math:`g + \delta`
the losses part by at most :math:`\eta\,|g||\delta|` a step to first order, so the stated error is
the largest difference of the losses plus the sum of these.

:source: Lee, Xiao, Schoenholz et al. (2019), "Wide neural networks of any depth evolve as linear
    models under gradient descent".
:kind: exam
:cost: seconds
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Band, Budget, Curve, Exam, Figure, Finding, Reading, Subject
from corollary.exams.short_training import ShortTraining, short_training
from corollary.theory.kernels.empirical import Linearized

SAMPLES = 48
EVERY = 4  # steps between two looks at the network along the linearised path


class LinearisedCurve(Exam):
    """Both curves of a short full-batch run."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The largest distance of the curves, relative to the loss at the start."""
        with subject.borrowed() as model:
            run = short_training(subject, budget, SAMPLES)
            linear = Linearized(model, read=subject.pick)
            stated = _StatedError(run, linear, model)
            predicted = run.run(linear, picked=True, callbacks=(stated,)).losses
        with subject.borrowed() as model:
            real = run.run(model).losses
        n = min(len(predicted), len(real))
        scale = abs(real[0]) or 1.0
        gap = max(abs(a - b) for a, b in zip(predicted[:n], real[:n], strict=True)) / scale
        error = stated.total() / scale
        inside = gap <= error + 1e-6
        yield self.finding(
            "Training curve of the linearised network",
            value=Reading(gap, gap, gap),
            unit="of the first loss, largest distance from the real curve",
            expected=f"stated error {error:.3g}",
            meaning="The linearised network predicts this run within its stated error."
            if inside
            else "The run leaves the prediction, so first-order theory does not describe it.",
            figures=(_figure(predicted[:n], real[:n], error * scale),),
            details={"step": run.step, "stated_error": error},
        )


class _StatedError:
    """Along the linearised path: loss and gradient of the network against the expansion's."""

    def __init__(self, run: ShortTraining, linear: Linearized, model: nn.Module) -> None:
        self.run, self.linear, self.model = run, linear, model
        self.gaps: list[float] = []
        self.drifts: list[float] = []

    def total(self) -> float:
        """The largest difference of the losses, and what the gradients' differences add up to."""
        return max(self.gaps, default=0.0) + EVERY * self.run.step * sum(self.drifts)

    def on_step(self, loop: Any) -> None:
        """Look, and leave everything as it was."""
        if loop.history.steps % EVERY == 0:
            batch, subject = self.run.batch, self.run.subject
            theta = list(self.linear.theta)
            with torch.enable_grad():
                value = subject.loss_of(self.linear(*batch.inputs), batch.target)
                flat = _flat(_gradients(value, theta))
            there, real = self._network(theta)
            self.gaps.append(abs(there - float(value.detach())))
            self.drifts.append(float(flat.norm() * (real - flat).norm()))

    def _network(self, theta: list[Tensor]) -> tuple[float, Tensor]:
        """Loss and gradient of the network at the linearised parameters."""
        parameters = list(self.run.subject.parameters().values())
        before = [p.detach().clone() for p in parameters]
        with torch.no_grad():
            for p, value in zip(parameters, theta, strict=True):
                p.copy_(value)
        with torch.enable_grad():
            loss = self.run.subject.loss(self.run.batch)
            gradient = _gradients(loss, parameters)
        with torch.no_grad():
            for p, value in zip(parameters, before, strict=True):
                p.copy_(value)
        return float(loss.detach()), _flat(gradient)


def _gradients(value: Tensor, at: Sequence[Tensor]) -> Sequence[Tensor]:
    """Zero for what the value does not depend on."""
    return torch.autograd.grad(value, list(at), allow_unused=True, materialize_grads=True)


def _flat(parts: Sequence[Tensor]) -> Tensor:
    return torch.cat([part.reshape(-1) for part in parts])


def _figure(predicted: list[float], real: list[float], error: float) -> Figure:
    steps = list(range(len(real)))
    band = Band(
        steps, [p - error for p in predicted], [p + error for p in predicted],
        label="stated error", role="predicted",
    )  # fmt: skip
    marks = (
        band,
        Curve(predicted, label="linearised network", role="predicted"),
        Curve(real, label="the network"),
    )
    return Figure("Predicted and real training curve", x="step", y="loss", marks=marks)
