r"""The training curve, predicted by the linearised network.

The network is replaced by its first-order expansion in the parameters, which is trained with the
same steps; its loss predicts the real curve. The error of the prediction is stated before the real
run: along the linearised path, loss and gradient of the network are compared with those of the
expansion. With gradients :math:`g` and :math:`g + \delta` the losses move apart by at most
:math:`\eta\,|g||\delta|` per step, to first order. The stated error is the largest difference of
the losses plus the sum of these. A loss that falls lies between zero and its first value, so a
stated error as large as the first loss says nothing. In this case the curve is not shown, and the
exam says why.

:source: Lee, Xiao, Schoenholz et al. (2019), "Wide neural networks of any depth evolve as linear
    models under gradient descent".
:kind: exam
:cost: seconds
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from corollary.core import Band, Batch, Budget, Curve, Exam, Figure, Finding, Subject
from corollary.core.default_losses import Loss
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.readings import rounded
from corollary.exams.scales import float_inputs, scale_of
from corollary.exams.short_training import ShortTraining, short_training
from corollary.theory.kernels.empirical import Linearized

SAMPLES = 48
VACUOUS = 1.0  # of the first loss: a loss that falls is predicted to that much by saying so
FINE = 1e-4  # of the first loss: what nobody sees in a curve
EVERY = 4  # steps between two looks at the network along the linearised path


class LinearisedCurve(Exam):
    """Both curves of a short full-batch run."""

    share = 8.0

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The largest distance between the curves, relative to the initial loss."""
        with subject.borrowed() as model:
            run = short_training(subject, budget, SAMPLES)
            loss = _loss_of_flat(subject, run.batch)
            linear = Linearized(model, read=subject.pick)
            stated = _StatedError(run, linear, loss)
            try:
                predicted = run.run(linear, loss, callbacks=(stated,)).losses
            except (RuntimeError, ValueError, TypeError) as why:  # a loss of probabilities, say
                raise NotApplicableError(
                    f"the loss does not accept the output of the linearised network ({why})"
                ) from None
        scale = abs(predicted[0]) or 1.0
        error = stated.total() / scale
        if not error < VACUOUS:
            raise NotApplicableError(_why(run.batch, run.steps))
        with subject.borrowed() as model:
            real = run.run(model).losses
        n = min(len(predicted), len(real))
        gap = max(abs(a - b) for a, b in zip(predicted[:n], real[:n], strict=True)) / scale
        inside = gap <= error + 1e-6
        yield self.finding(
            "Training curve predicted by the linearised network",
            quantity="largest distance from the real curve",
            value=rounded(100 * gap) if gap > FINE else rounded(0.0),
            unit="% of the initial loss",
            expected=f"within {100 * max(error, FINE):.2g} %, as stated before the run",
            meaning="The real training run follows the prediction."
            if inside
            else "The real training run departs from the prediction, so first-order theory "
            "does not describe it.",
            figures=(_figure(predicted[:n], real[:n], error * scale),),
            details={"gap": gap, "step": run.step, "stated_error": error},
        )


class _StatedError:
    """Loss and gradient of the network and of its linearisation, along the linearised path."""

    def __init__(self, run: ShortTraining, linear: Linearized, loss: Loss) -> None:
        self.run, self.linear, self.loss = run, linear, loss
        self.gaps: list[float] = []
        self.drifts: list[float] = []

    def total(self) -> float:
        """The largest difference of the losses plus the sum of the gradients' differences."""
        return max(self.gaps, default=0.0) + EVERY * self.run.step * sum(self.drifts)

    def on_step(self, loop: Any) -> None:
        """Record both at one step, without side effects."""
        if loop.history.steps % EVERY == 0:
            batch = self.run.batch
            theta = list(self.linear.theta)
            with torch.enable_grad():
                value = self.loss(self.linear(*batch.inputs, **batch.named), batch.target)
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


def _loss_of_flat(subject: Subject, batch: Batch) -> Loss:
    """The loss of the linearised network's output, which has one axis per sample.

    Raises:
        NotApplicableError: if the model computes its loss itself, so that it is not a function of
        the output.
    """
    with torch.no_grad():
        raw = subject.call(batch)
        shape = subject.pick(raw).shape

        def loss(flat: Tensor, target: Any) -> Tensor:
            return subject.loss_of(flat.reshape(-1, *shape[1:]), target)

        own = float(subject.loss_of_raw(raw, batch.target))
        try:
            same = math.isclose(own, float(loss(subject.pick(raw), batch.target)), rel_tol=1e-4)
        except (CorollaryError, RuntimeError, ValueError, IndexError, TypeError):
            same = False
    if not same:
        raise NotApplicableError(
            "the model computes its loss itself and does not accept the output of the "
            "linearised network; pass loss=<function of (output, target)>"
        )
    return loss


def _why(batch: Batch, steps: int) -> str:
    """The reason why the linearised network predicts nothing here, and what to do."""
    wild = [name for name, x in float_inputs(batch).items() if not scale_of(x).healthy]
    if wild:
        return (
            f"the values of {wild[0]} are so large that the network leaves its linearisation "
            "at once, and nothing can be predicted; standardise these values (subtract the "
            "mean, divide by the standard deviation) and examine again"
        )
    return (
        f"within {steps} steps the network moves so far from its linearisation that nothing "
        "can be predicted; see how its features change instead, or make the network wider"
    )


def _gradients(value: Tensor, at: Sequence[Tensor]) -> Sequence[Tensor]:
    """The gradients, with zeros for parameters that the value does not depend on."""
    return torch.autograd.grad(value, list(at), allow_unused=True, materialize_grads=True)


def _flat(parts: Sequence[Tensor]) -> Tensor:
    return torch.cat([part.reshape(-1) for part in parts])


def _figure(predicted: list[float], real: list[float], error: float) -> Figure:
    steps = list(range(len(real)))
    band = Band(
        steps,
        [p - error for p in predicted],
        [p + error for p in predicted],
        label="stated error",
        role="predicted",
    )
    marks = (
        band,
        Curve(predicted, label="linearised network", role="predicted"),
        Curve(real, label="the network"),
    )
    return Figure("Predicted and real training curves", x="step", y="loss", marks=marks)
