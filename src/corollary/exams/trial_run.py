"""A short real training in a copy: what it shows decides what may be said.

The module is trained in place and given back, in train mode, by a twin of the user's optimizer with
the user's batch size, on the user's samples. The run is counted in steps and not in seconds, made
once, and shared by all exams. A second run learns a few answers again and again, without dropout:
a network that is wired well does, whatever the task. If that fails with the user's optimizer it is
tried with plain Adam, which tells a recipe that does not suit from a network that cannot learn.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from corollary.core import Batch, Budget, Subject
from corollary.core.recipe import ADAM, in_words
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.modes import steady
from corollary.exams.risks import Risk, risk_of
from corollary.exams.trials import constant_loss
from corollary.exams.work import seconds_per_sample
from corollary.train.loss_landscape import need_real_parameters

STEPS, FEWEST = 120, 12  # of a run, and those below which it says nothing
ENOUGH = 30  # steps; in fewer a loss that was thrown up may not have come down yet
SHARE = 0.5  # of the whole examination's work, for one run: nothing else tells as much
ROWS, FEW, PROBE = 32, 16, 256  # samples a step if no batch size is told; of one batch; judged
LAST = 5  # the last fifth of a run is what it came to
# A tenth of the loss that the best constant answer has is gone: a constant's own loss on a batch of
# 32 varies by less. Twice that loss, or twice the first, is not on its way anywhere.
LEARNS, WORSE = 0.9, 2.0
PLAIN = (ADAM, 10 * ADAM)  # learning rates of Adam that are tried on one batch
KNOWS = 0.6  # of the constant's loss: below, the network has learned these samples before
Change = Callable[[nn.Module], None]


@dataclass(frozen=True)
class Run:
    """One run: the loss of every step's batch, and how it stood before and after."""

    losses: list[float]
    start: float  # loss on the probe before
    constant: float  # loss of the best constant answer on the probe; infinite if not known
    risk: Risk | None = None  # after the run, where there is such a thing
    optimizer: str = ""
    after: float = math.nan  # loss on the probe after
    comparable: bool = True  # whether its loss is the user's own, on the user's targets

    @property
    def end(self) -> float:
        """The mean loss of the last fifth."""
        last = self.losses[-max(1, len(self.losses) // LAST) :]
        return sum(last) / len(last)

    @property
    def finite(self) -> bool:
        """Whether no loss was NaN or infinite."""
        return all(map(math.isfinite, self.losses))

    @property
    def aim(self) -> float:
        """The loss to beat: that of a constant answer, or of the start if it is lower."""
        return min(self.start, self.constant)

    @property
    def diverged(self) -> bool:
        """Whether it left the finite numbers, or stays far above where it began.

        Large learning rates throw the loss up in the first steps and bring it down again, so a
        short run and one that is on its way down are not said to diverge.
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
        """Whether a tenth of the loss to beat is gone."""
        return self.finite and self.end < LEARNS * self.aim


@dataclass(frozen=True)
class TrialRun:
    """What the user's training comes to, in its first steps."""

    subject: Subject
    batch_size: int
    steps: int
    run: Run
    one_batch: Run
    plain: Run | None  # one batch with plain Adam, if the user's optimizer did not learn it
    work: float  # of one run, in seconds of the nominal machine

    @cached_property
    def knew(self) -> bool:
        """Whether the samples had been learned before."""
        return self.run.start < KNOWS * self.run.constant and math.isfinite(self.run.constant)

    @property
    def faithful(self) -> bool:
        """Whether it was made with the user's batch size, which much work may forbid."""
        told = self.subject.batch_size
        return told is None or self.batch_size >= min(told, self.subject.data().size)

    @property
    def diverged(self) -> bool:
        """Whether the run diverged, as the user's would."""
        return self.run.diverged and self.faithful

    @property
    def learns(self) -> bool:
        """Whether the user's training gets anywhere: on the samples, or on one batch of them."""
        return not self.diverged and (self.knew or self.run.learned or self.one_batch.learned)

    @property
    def cannot_learn(self) -> bool:
        """Whether one batch is learned by no optimizer."""
        return not self.learns and self.plain is not None and not self.plain.learned

    @property
    def fails(self) -> bool:
        """Whether it diverges or does not learn: what theory predicts is then worth saying."""
        return self.diverged or self.cannot_learn

    def with_change(
        self,
        change: Change,
        batch: Batch | None = None,
        *,
        batch_size: int | None = None,
        **how: Any,
    ) -> Run:
        """The same run after a change to the module, or with other samples or another loss."""
        own = self.subject.labelled()
        data = batch or own
        with self.subject.borrowed(train=True) as model:
            change(model)
            run = trained(self.subject, data, self.steps, batch_size or self.batch_size, **how)
        return replace(run, comparable=data.target is own.target and "loss" not in how)

    def needs(self, other: Run) -> bool:
        """Whether the user's run does badly beside a changed one.

        It learns next to nothing and the other is better; or it learns, and makes twice the errors
        of the other, one answer in ten and more.
        """
        if not self.helps(other):
            return False
        if not self.run.learned or self.diverged:
            return True
        if self.run.risk is None or other.risk is None:
            return False
        a, b = self.run.risk.value, other.risk.value
        return b < 0.5 * a and a - b > 0.1

    def helps(self, other: Run) -> bool:
        """Whether a changed run is clearly better: by its errors, else by its loss.

        Clearly: a fifth of the errors (or of the loss) is gone, and at least one answer in thirty,
        which on 256 samples is two standard deviations of a share.
        """
        if not other.finite:
            return False
        if self.run.risk is not None and other.risk is not None and self.run.finite:
            a, b = self.run.risk.value, other.risk.value
            if b < 0.8 * a and a - b > 1 / 30:
                return True
            if abs(a - b) > 1 / 30 or not other.comparable:
                return False
        return self.diverged or (other.comparable and other.end < 0.8 * self.run.end)


def trial_run_of(subject: Subject, budget: Budget) -> TrialRun:
    """The trial run; exams share it.

    Raises:
        NotApplicableError: if the module cannot be trained, or a few steps are too much work.
    """
    if "trial run" not in subject.memo:
        try:
            subject.memo["trial run"] = _made(subject, budget)
        except NotApplicableError as why:
            subject.memo["trial run"] = str(why)
    found: TrialRun | str = subject.memo["trial run"]
    if isinstance(found, str):
        raise NotApplicableError(found)
    return found


def trained(
    subject: Subject,
    data: Batch,
    steps: int,
    batch_size: int,
    *,
    optimizer: Optimizer | None = None,
    loss: Callable[[Any, Any], Tensor] | None = None,
    probed: bool = True,
) -> Run:
    """Train the module in place; to be called inside ``subject.borrowed(train=True)``.

    Args:
        subject: Whose module, loss and optimizer.
        data: The samples; batches are drawn from them, or all of them if they fit into one.
        steps: How many.
        batch_size: Samples of a step.
        optimizer: In place of a twin of the user's.
        loss: Of raw output and target, in place of the user's.
        probed: Whether errors are counted at the end.
    """
    twin, scheduler = subject.recipe.twin()
    twin = twin if optimizer is None else optimizer
    compute = loss or subject.loss_of_raw
    probe = data.first(PROBE)
    with steady(subject.model), torch.no_grad():
        start = float(compute(subject.call(probe), probe.target))
    losses: list[float] = []
    for batch in _batches(subject, data, steps, batch_size):
        value = compute(subject.call(batch), batch.target)
        losses.append(float(value.detach()))
        if not math.isfinite(losses[-1]) or not value.requires_grad:
            break
        give_gradients(twin, value)
        twin.step()
        if scheduler is not None and optimizer is None and subject.recipe.schedule_moves_each_step:
            scheduler.step()
    risk = None
    with steady(subject.model), torch.no_grad():
        after = float(compute(subject.call(probe), probe.target))
        if probed:
            risk = _risk(subject, probe)
    return Run(losses, start, constant_loss(subject, probe), risk, in_words(twin), after)


def _made(subject: Subject, budget: Budget) -> TrialRun:
    need_real_parameters(subject)
    data = subject.labelled()
    size = min(subject.batch_size or ROWS, data.size)
    affordable = SHARE * budget.whole / (seconds_per_sample(subject) + 1e-12)  # samples in all
    while size > 1 and affordable / size < FEWEST:
        size //= 2  # a smaller batch than the user's is better than no run
    steps = min(STEPS, int(affordable / size))
    if steps < FEWEST:
        raise NotApplicableError(
            f"training for {FEWEST} steps is too much work for this effort; use --effort thorough"
        )
    few = data.first(min(_few(data), size if size > 1 else data.size))
    with subject.borrowed(train=True):
        run = trained(subject, data, steps, size)
    with subject.borrowed(), steady(subject.model):
        one = trained(subject, few, steps, few.size, probed=False)
    plain = None
    for lr in PLAIN if not one.learned else ():
        with subject.borrowed(), steady(subject.model):
            adam = torch.optim.Adam(subject.parameters().values(), lr=lr)
            plain = trained(subject, few, steps, few.size, optimizer=adam, probed=False)
        if plain.learned:
            break
    work = steps * size * seconds_per_sample(subject)
    return TrialRun(subject, size, steps, run, one, plain, work)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _few(data: Batch) -> int:
    """Samples with about FEW answers in all, but two at least."""
    target = data.target
    answers = target.numel() / data.size if isinstance(target, Tensor) else 1.0
    classes = isinstance(target, Tensor) and not target.is_floating_point()
    return max(2, round(FEW / answers)) if classes and answers > 1 else FEW


def give_gradients(optimizer: Optimizer, value: Tensor) -> None:
    """Gradients for what the optimizer owns, and for nothing else."""
    owned = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
    gradients = torch.autograd.grad(value, owned, allow_unused=True)
    for p, gradient in zip(owned, gradients, strict=True):
        p.grad = gradient


def _batches(subject: Subject, data: Batch, steps: int, size: int) -> Iterator[Batch]:
    """Batches as a loader gives them: shuffled, or in the order of the user's own loader."""
    if size >= data.size:
        for _ in range(steps):
            yield data
        return
    rng, rows = subject.rng("trial run"), torch.arange(data.size)
    made = 0
    while made < steps:
        order = rows if subject.in_order else torch.randperm(data.size, generator=rng)
        for part in order.split(size):
            if len(part) == size and made < steps:
                made += 1
                yield data.slice(part)


def _risk(subject: Subject, batch: Batch) -> Risk | None:
    try:
        return risk_of(subject, batch)
    except (CorollaryError, RuntimeError, ValueError, IndexError):
        return None
