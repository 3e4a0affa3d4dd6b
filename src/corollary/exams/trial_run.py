"""A short real training in a copy, whose outcome decides which findings are reported.

The module is trained in train mode and then restored. The run uses a copy of the user's optimizer,
the user's batch size and the user's samples. It is the whole planned training if that is little
work, and otherwise its first steps. The run is counted in steps and not in seconds, made once, and
shared by all exams. A second run repeats a few samples many times, without dropout: a network that
is wired correctly memorises them in any task. If this fails with the user's optimizer, plain Adam
is tried. This distinguishes an unsuitable recipe from a network that cannot learn.
"""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Batch, Budget, Subject
from corollary.core.recipe import ADAM
from corollary.errors import NotApplicableError, TooMuchWorkError
from corollary.exams.aftermath import Aftermath, aftermath_of
from corollary.exams.class_targets import class_numbers
from corollary.exams.modes import steady
from corollary.exams.runs import ENOUGH, Run, trained
from corollary.exams.work import seconds_per_sample
from corollary.train.loss_landscape import need_real_parameters

STEPS, FEWEST, LONGEST = 120, 12, 2000  # of a run; below the fewest it says nothing
# Of the whole examination's work, for one run: nothing else tells as much. More than STEPS are
# made where they are little work.
SHARE, LITTLE = 0.5, 0.1
CHANGED, LEAST, MOST = 0.8, 4, 16  # of the whole work, for changed runs; how many
ROWS, FEW = 32, 16  # samples a step if no batch size is told; answers of one batch
PLAIN = (ADAM, 10 * ADAM)  # learning rates of Adam that are tried on one batch
KNOWS = 0.6  # of the constant's loss: below, the network has learned these samples before
BY_HEART = 0.5  # of a constant's errors on one batch: above, it is not learned by heart
Change = Callable[[nn.Module], None]


@dataclass(frozen=True)
class TrialRun:
    """The outcome of the user's training."""

    subject: Subject
    batch_size: int
    steps: int
    run: Run
    one_batch: Run
    plain: Run | None  # one batch with plain Adam, if the user's optimizer did not learn it
    work: float  # of one run, in seconds of the nominal machine
    complete: bool = False  # whether this was all of the planned training
    allowed: int = 4  # how many changed runs may be made, each of the same cost
    aftermath: Aftermath = field(default_factory=Aftermath)

    @cached_property
    def knew(self) -> bool:
        """Whether the samples had been learned before."""
        return self.run.start < KNOWS * self.run.constant and math.isfinite(self.run.constant)

    @property
    def faithful(self) -> bool:
        """Whether the run used the user's batch size, which may be too much work."""
        told = self.subject.batch_size
        return told is None or self.batch_size >= min(told, self.subject.everything().size)

    @property
    def diverged(self) -> bool:
        """Whether the run diverged, as the user's own run would."""
        return self.run.diverged and self.faithful

    @property
    def learns(self) -> bool:
        """Whether the user's training gets anywhere: on the samples, or on one batch of them."""
        return not self.diverged and (self.knew or self.run.learned or self.one_batch.learned)

    @property
    def telling(self) -> bool:
        """Whether the run uses the user's settings and is long enough to judge them.

        A learning rate for large batches is too large for small ones, and a good learning rate may
        raise the loss in the first steps.
        """
        return self.complete or (self.faithful and len(self.run.losses) >= ENOUGH)

    @property
    def stuck(self) -> bool:
        """Whether the run, complete or flat at its end, ends at the loss of a constant answer."""
        if self.run.learned or self.knew or self.diverged or len(self.run.losses) < 2 * ENOUGH:
            return False
        if not self.telling:
            return False
        return self.complete or (self.subject.recipe.scheduler is None and not self.run.falling)

    @property
    def cannot_learn(self) -> bool:
        """Whether one batch is learned by no optimizer."""
        if self.plain is None or self.knew or self.run.wrong < BY_HEART:
            return False
        if len(self.one_batch.losses) < ENOUGH and self.one_batch.finite:
            return False
        tried = (self.one_batch, self.plain)
        if not any(run.learned for run in tried):
            return not self.run.learned
        return all(BY_HEART < run.wrong < math.inf for run in tried) and not self.run.learned

    @property
    def not_by_heart(self) -> bool:
        """Whether the user's optimizer learns neither one batch nor the samples."""
        return self.plain is not None and not (self.knew or self.run.learned) and self.telling

    @property
    def fails(self) -> bool:
        """Whether the run diverges or does not learn, so that predictions of theory matter."""
        return self.diverged or self.cannot_learn or self.stuck

    def with_change(
        self,
        change: Change,
        batch: Batch | None = None,
        *,
        batch_size: int | None = None,
        around: AbstractContextManager[Any] | None = None,
        steps: int | None = None,
        **how: Any,
    ) -> Run:
        """The same run after a change to the module, or with other samples or another loss."""
        own = self.subject.all_labelled()
        data, n = batch or own, steps or self.steps
        with self.subject.borrowed(train=True) as model, around or nullcontext():
            change(model)
            run = trained(self.subject, data, n, batch_size or self.batch_size, **how)
        return replace(run, comparable=data.target is own.target and "loss" not in how)

    def needs(self, other: Run) -> bool:
        """Whether a changed run is so much better that the user's run must be bad.

        The user's run learns almost nothing and the changed run is better; or the user's run makes
        twice as many errors, and at least one answer in ten is wrong.
        """
        if not self.helps(other):
            return False
        if not self.run.learned or self.diverged:
            return True
        if self.run.risk is None or other.risk is None:
            gained = self.run.aim - self.run.end  # over a constant answer, or over the start
            return other.comparable and self.run.aim - other.end > 2 * gained
        a, b = self.run.risk.value, other.risk.value
        return b < 0.5 * a and a - b > 0.1

    def helps(self, other: Run) -> bool:
        """Whether a changed run is clearly better, judged by its errors or else by its loss.

        Clearly means that at least a fifth of the errors (or of the loss) is gone, and at least
        two standard deviations of such a share, which are one over the root of the number of
        samples.
        """
        if not other.finite or other.diverged:
            return False
        if self.run.risk is not None and other.risk is not None and self.run.finite:
            a, b = self.run.risk.value, other.risk.value
            clear = max(1 / 30, 1 / math.sqrt(len(self.run.risk.each)))
            if b < 0.8 * a and a - b > clear:
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
            subject.memo["trial run"] = why
    found: TrialRun | NotApplicableError = subject.memo["trial run"]
    if isinstance(found, NotApplicableError):
        raise found
    return found


def _made(subject: Subject, budget: Budget) -> TrialRun:
    need_real_parameters(subject)
    data = subject.all_labelled()
    size = min(subject.batch_size or ROWS, data.size)
    a_sample = seconds_per_sample(subject) + 1e-12
    affordable = max(SHARE * budget.whole / a_sample, FEWEST)  # samples in all
    while size > 1 and affordable / size < FEWEST:
        size //= 2  # a smaller batch than the user's is better than no run
    planned = planned_steps(subject)
    steps = min(planned or STEPS, LONGEST, max(STEPS, int(LITTLE * budget.whole / a_sample / size)))
    steps = min(steps, int(affordable / size))
    if steps < min(FEWEST, planned or FEWEST):
        raise TooMuchWorkError(FEWEST * size * a_sample)
    few = _mixed(data, min(_few(data), size if size > 1 else data.size))
    with subject.borrowed(train=True):
        run = trained(subject, data, steps, size)
        after = aftermath_of(subject, data)
    short = min(steps, STEPS)
    with subject.borrowed(), steady(subject.model):
        one = trained(subject, few, short, few.size)
    plain = None
    enough = short >= min(ENOUGH, planned or ENOUGH)  # or nothing can be said of Adam either
    for lr in PLAIN if enough and not _known(one) else ():
        with subject.borrowed(), steady(subject.model):
            adam = torch.optim.Adam(subject.parameters().values(), lr=lr)
            again = trained(subject, few, short, few.size, optimizer=adam)
        plain = again if plain is None or again.end < plain.end else plain
        if _known(again):
            break
    work = steps * size * a_sample
    complete = planned is not None and steps >= planned
    allowed = min(MOST, max(LEAST, int(CHANGED * budget.whole / work)))
    return TrialRun(subject, size, steps, run, one, plain, work, complete, allowed, after)


def planned_steps(subject: Subject) -> int | None:
    """Steps of the user's whole training, as far as they are known."""
    recipe, size = subject.recipe, subject.everything().size
    if recipe.steps is not None or recipe.epochs is None or size >= subject.samples:
        return recipe.steps  # of more data than was taken the steps of an epoch are not known
    return recipe.epochs * math.ceil(size / (subject.batch_size or ROWS))


def _known(run: Run) -> bool:
    """Whether one batch was memorised."""
    return run.learned and (run.risk is None or run.wrong < BY_HEART)


def _mixed(data: Batch, n: int) -> Batch:
    """Some samples from all over the data; classes take turns."""
    target = class_numbers(data.target)
    if target is None or target.dim() != 1:
        return data.spread(n)
    order = target.argsort(stable=True)
    _, counts = target.unique(return_counts=True)
    turn = torch.cat([torch.arange(int(count)) for count in counts])  # within its class
    return data.slice(order[turn.argsort(stable=True)[:n]])


def _few(data: Batch) -> int:
    """Samples with about FEW answers in all, but at least two samples."""
    target = data.target
    answers = target.numel() / data.size if isinstance(target, Tensor) else 1.0
    classes = isinstance(target, Tensor) and not target.is_floating_point()
    return max(2, round(FEW / answers)) if classes and answers > 1 else FEW


def unchanged(_: nn.Module) -> None:
    """The change that changes nothing."""
