"""A short full-batch training of a subject, at a learning rate that is stable at its start."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Batch, Budget, Subject
from corollary.core.default_losses import Loss
from corollary.errors import NotApplicableError
from corollary.exams.landscapes import affordable
from corollary.theory.landscape.curvature import largest_stable_step
from corollary.theory.modules.keeping import kept
from corollary.train import fit
from corollary.train.loss_landscape import landscape_of

STEPS = 40
SAFE = 0.5  # of the largest stable step: descent, and not at its edge
PASSES = 360  # Lanczos, a trial, the run, its linearisation, and two tangent kernels
TRIES = 4  # shorter steps if the loss rises all the same


@dataclass(frozen=True)
class ShortTraining:
    """Samples and learning rate of a short run, shared by the network and its linearisation."""

    subject: Subject
    batch: Batch
    step: float
    steps: int = STEPS

    @property
    def inputs(self) -> Any:
        """The inputs in the form that the tangent kernel needs."""
        if self.batch.named:
            return self.batch.named
        return self.batch.inputs[0] if len(self.batch.inputs) == 1 else self.batch.inputs

    def run(
        self, model: nn.Module, loss: Loss | None = None, callbacks: tuple[Any, ...] = ()
    ) -> Any:
        """Train ``model``, with the subject's loss of a raw output if no other is given."""

        def call(model: nn.Module, loss: Loss, rows: Tensor) -> Tensor:
            batch = self.batch.slice(rows)
            return loss(model(*batch.inputs, **batch.named), batch.target)

        return fit(
            model,
            (torch.arange(self.batch.size),),
            loss or self.subject.loss_of_raw,
            partial(torch.optim.SGD, lr=self.step),
            steps=self.steps,
            rng=self.subject.seed,
            train_mode=False,
            on_nan="stop",
            callbacks=callbacks,
            call=call,
            sharding="none",
        )


def short_training(subject: Subject, budget: Budget, most: int) -> ShortTraining:
    """Set up a short run on at most ``most`` samples; several exams share one.

    Raises:
        NotApplicableError: if the subject cannot be trained by ``loss(output, target)``.
    """
    if "short training" not in subject.memo:
        n = affordable(subject, budget, PASSES, most)
        subject.memo["short training"] = _prepared(subject, n)
    found: ShortTraining = subject.memo["short training"]
    return found


def _prepared(subject: Subject, n: int) -> ShortTraining:
    batch = subject.labelled(n)
    if not isinstance(batch.target, Tensor):
        raise NotApplicableError("the targets are not a tensor")
    limit = largest_stable_step(
        landscape_of(subject, n), rtol=0.2, rng=subject.rng("short training")
    )
    step = SAFE * limit.step.low
    if not (math.isfinite(step) and step > 0):
        raise NotApplicableError(
            "the loss has no positive curvature here, so no learning rate is known to be safe"
        )
    for _ in range(TRIES):
        trial = ShortTraining(subject, batch, step)
        with kept(subject.model):
            history = trial.run(subject.model)
        if not history.diverged and history.losses[-1] <= history.losses[0]:
            return trial
        step /= 4  # the curvature grew on the way, so its limit at the start was too long
    return trial
