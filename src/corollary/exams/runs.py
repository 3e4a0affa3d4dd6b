"""One training run of a number of steps, with a copy of the user's optimizer and samples."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim import Optimizer

from corollary.core import Batch, Subject
from corollary.core.recipe import in_words
from corollary.errors import CorollaryError
from corollary.exams.constant_answers import constant_loss, least_loss
from corollary.exams.modes import steady
from corollary.exams.risks import Risk, risk_of

ENOUGH = 30  # steps; in fewer a loss that was thrown up may not have come down yet
# Samples that are judged: half of those of a short run, and a tenth of those of a long one.
LEAST, PROBE = 64, 256
LAST = 5  # the last fifth of a run is what it came to
# A tenth of the loss that the best constant answer has is gone: a constant's own loss on a batch of
# 32 varies by less. Twice that loss, or twice the first, is not on its way anywhere.
LEARNS, WORSE = 0.9, 2.0


@dataclass(frozen=True)
class Run:
    """One run: the loss of the batch at every step, and the state before and after."""

    losses: list[float]
    start: float  # loss on the probe before
    constant: float  # loss of the best constant answer on the probe; infinite if not known
    risk: Risk | None = None  # after the run, where it is defined
    eval_risk: Risk | None = None  # the same in eval mode, if it differs
    optimizer: str = ""
    after: float = math.nan  # loss on the probe after
    comparable: bool = True  # whether its loss is the user's own, on the user's targets
    least: float = 0.0  # loss of the targets themselves: the entropy that no answer can remove

    @property
    def end(self) -> float:
        """The mean loss of the last fifth."""
        return _mean(self.losses[-max(1, len(self.losses) // LAST) :])

    @property
    def finite(self) -> bool:
        """Whether every loss was finite."""
        return all(map(math.isfinite, self.losses))

    @property
    def aim(self) -> float:
        """The loss to beat: that of a constant answer, or of the start if it is lower."""
        return min(self.start, self.constant)

    @property
    def diverged(self) -> bool:
        """Whether the loss became NaN or infinite, or stays far above its initial value.

        With a large learning rate the loss may rise in the first steps and then fall, so a short
        run and one whose loss is falling do not count as divergent.
        """
        if not self.finite:
            return True
        if len(self.losses) < ENOUGH:
            return False
        known = [loss for loss in (self.start, self.constant) if math.isfinite(loss)]
        third = len(self.losses) // 3
        middle, last = self.losses[third : 2 * third], self.losses[2 * third :]
        high, falling = _mean(last), _mean(last) < 0.8 * _mean(middle)
        return high > WORSE * max([*known, 0.0]) and not falling

    @property
    def learned(self) -> bool:
        """Whether the loss fell below the loss to beat by a tenth of what can be gained."""
        least = self.least if self.least < self.aim else 0.0
        return self.finite and self.end - least < LEARNS * (self.aim - least)

    @property
    def falling(self) -> bool:
        """Whether losses of the last third are below those of the first by more than their noise.

        The means of the two thirds are compared; up to three standard deviations count as noise.
        """
        third = len(self.losses) // 3
        if third < 2 or not self.finite:
            return False
        first, last = self.losses[:third], self.losses[-third:]
        noise = math.sqrt((_variance(first) + _variance(last)) / third)
        return _mean(first) - _mean(last) > 3 * noise

    @property
    def wrong(self) -> float:
        """Errors after training relative to the best constant answer; infinite if not known."""
        if self.risk is None or not self.finite or not self.risk.chance > 0:
            return math.inf
        return self.risk.value / self.risk.chance


def trained(
    subject: Subject,
    data: Batch,
    steps: int,
    batch_size: int,
    *,
    optimizer: Optimizer | None = None,
    loss: Callable[[Any, Any], Tensor] | None = None,
    shuffled: bool = False,
    clip: float | None = None,
) -> Run:
    """Train the module in place; call this inside ``subject.borrowed(train=True)``.

    Args:
        subject: The subject with its module, loss and optimizer.
        data: The samples; batches are drawn from them, or all are used if they fit into one batch.
        steps: The number of steps.
        batch_size: The number of samples per step.
        optimizer: Used instead of a copy of the user's optimizer.
        loss: A function of raw output and target, used instead of the user's loss.
        shuffled: Whether to ignore a loader's own order.
        clip: The largest norm of a gradient; longer gradients are clipped to it.
    """
    twin, scheduler = subject.recipe.twin()
    twin = twin if optimizer is None else optimizer
    moves = optimizer is None and subject.recipe.schedule_moves_each_step
    compute = loss or subject.loss_of_raw
    work = steps * batch_size
    probe = data.spread(max(min(LEAST, 2 * work), min(PROBE, work // 2), work // 10))
    with steady(subject.model), torch.no_grad():
        start = float(compute(subject.call(probe), probe.target))
    losses: list[float] = []
    for batch in _batches(subject, data, steps, batch_size, shuffled):
        value = compute(subject.call(batch), batch.target)
        losses.append(float(value.detach()))
        if not math.isfinite(losses[-1]) or not value.requires_grad:
            break
        give_gradients(twin, value)
        if clip is not None:
            held = [p for group in twin.param_groups for p in group["params"]]
            torch.nn.utils.clip_grad_norm_(held, clip)
        twin.step()
        if scheduler is not None and moves:
            scheduler.step()
    with torch.no_grad():
        with steady(subject.model):
            after = float(compute(subject.call(probe), probe.target))
            risk = _risk(subject, probe)
        in_eval = risk
        if any(isinstance(m, _BatchNorm) for m in subject.model.modules()):
            subject.model.eval()
            in_eval = _risk(subject, probe)
            subject.model.train()
    constant, least = constant_loss(subject, probe), least_loss(subject, probe)
    words = in_words(twin)
    return Run(losses, start, constant, risk, in_eval, words, after, least=least)


def give_gradients(optimizer: Optimizer, value: Tensor) -> None:
    """Require gradients for the optimizer's parameters, and for nothing else."""
    owned = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    gradients = torch.autograd.grad(value, owned, allow_unused=True)
    for p, gradient in zip(owned, gradients, strict=True):
        p.grad = gradient


def _batches(
    subject: Subject, data: Batch, steps: int, size: int, shuffled: bool
) -> Iterator[Batch]:
    """Batches as a loader returns them: shuffled, or in the order of the user's own loader."""
    if size >= data.size:
        for _ in range(steps):
            yield data
        return
    rng, rows = subject.rng("trial run"), torch.arange(data.size)
    in_order = subject.in_order and not shuffled
    made = 0
    while made < steps:
        order = rows if in_order else torch.randperm(data.size, generator=rng)
        for part in order.split(size):
            if len(part) == size and made < steps:
                made += 1
                yield data.slice(part)


def _risk(subject: Subject, batch: Batch) -> Risk | None:
    try:
        return risk_of(subject, batch)
    except (CorollaryError, RuntimeError, ValueError, IndexError):
        return None


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _variance(values: list[float]) -> float:
    mean = _mean(values)
    return sum((v - mean) ** 2 for v in values) / max(len(values) - 1, 1)
