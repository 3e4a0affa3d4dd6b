"""Learning-rate schedules that have no effect, step at the wrong time, or have a wrong length."""

from collections import deque
from typing import Any

from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    CyclicLR,
    LambdaLR,
    MultiStepLR,
    OneCycleLR,
)
from torch.optim.swa_utils import SWALR

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import Surroundings, look_around

NEVER = "schedule/never_steps"
ENDED = "schedule/ended_early"
PAST = "schedule/past_its_end"
SLOW = "schedule/stepped_per_epoch"
OTHER = "schedule/other_optimizer"
WARM = "schedule/warm_up_too_long"
LOOK = 3  # the step at which the loop's variables are searched
LONG = 1000  # steps after which a schedule must have acted, if the epoch is not known
GONE = 1e-3  # of its largest value: a learning rate that no longer trains


class Schedule(Detector):
    """Follows the learning rate and, where it was found, the scheduler behind it."""

    every_step = True

    def __init__(self) -> None:
        self.around: Surroundings | None = None
        self.gone = 0  # steps in a row with hardly any learning rate
        self.rates: deque[float] = deque(maxlen=20)

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare the rate with its largest value, and the scheduler with the steps."""
        if owned is not loop.main:
            return
        rate, largest = owned.rate, owned.largest_rate
        self.gone = self.gone + 1 if rate <= GONE * largest and largest > 0 else 0
        self.rates.append(rate)
        if loop.made == LOOK:
            self.around = look_around(owned.optimizer)
        self._ended(loop, owned)
        if loop.made % 10 == 0:
            self._rising(loop, owned)
            if self.around is not None:
                self._scheduler(loop, self.around)

    def _scheduler(self, loop: Loop, around: Surroundings) -> None:
        if around.plateau is not None:
            self._never(loop, around, around.plateau)
        if around.scheduler is not None:
            self._never(loop, around, around.scheduler)
            self._past(loop, around.scheduler)
            self._slow(loop, around)
            self._milestones(loop, around)
        elif around.strange is not None and loop.made >= 20:
            self._other(loop, around.strange)

    def _ended(self, loop: Loop, owned: Owned) -> None:
        left = loop.planned is None or loop.step < 0.9 * loop.planned
        if self.gone and self.gone >= max(30, loop.made // 4) and left:
            begun = loop.step - self.gone
            self._say_ended(
                loop,
                f"For {self.gone} steps the learning rate has been {owned.rate:.2g}, below a "
                f"thousandth of its largest value {owned.largest_rate:.2g}. It fell to this "
                f"value within {begun} steps.",
            )

    def _milestones(self, loop: Loop, around: Surroundings) -> None:
        """Milestones that were meant as epochs are passed after an epoch or two."""
        scheduler, epoch = around.scheduler, steps_of_epoch(loop, around)
        if not isinstance(scheduler, MultiStepLR) or epoch is None:
            return
        last = max(scheduler.milestones, default=0)
        per_step = scheduler.last_epoch > 0.8 * loop.made
        if per_step and scheduler.gamma < 1 and last < 2 * epoch and loop.made > 3 * epoch:
            self._say_ended(
                loop,
                f"The last milestone, {last}, was reached within {max(1, last // epoch)} "
                f"epochs of {epoch} batches. The scheduler is stepped after every batch, and "
                f"the learning rate has been {loop.main.rate if loop.main else 0:.2g} since "
                "then.",
            )

    def _say_ended(self, loop: Loop, evidence: str) -> None:
        loop.events.say(
            loop.step,
            found(
                ENDED,
                "Training continues with a learning rate close to zero",
                Severity.MEDIUM,
                evidence,
                "If the schedule counts epochs, call scheduler.step() once per epoch. If the "
                "schedule counts steps, make it as long as the run.",
            ),
        )

    def _rising(self, loop: Loop, owned: Owned) -> None:
        """More than three fifths of a run of known length is warm-up."""
        rising = len(self.rates) == 20 and all(
            self.rates[i] < self.rates[i + 1] for i in range(0, 19, 6)
        )
        part = loop.made / loop.planned if loop.planned else 0.0
        if rising and part >= 0.6 and owned.rate > 2 * max(owned.first_rate, 0.0):
            loop.events.say(
                loop.step,
                found(
                    WARM,
                    "The warm-up is as long as the run",
                    Severity.MEDIUM,
                    f"At step {loop.step} of {loop.planned} the learning rate still rises "
                    f"({owned.rate:.2g} now).",
                    "Shorten the warm-up to a few percent of the steps.",
                ),
            )

    def _never(self, loop: Loop, around: Surroundings, scheduler: Any) -> None:
        epoch = steps_of_epoch(loop, around)
        wait = LONG if epoch is None else 2 * epoch + 2
        late = isinstance(scheduler, SWALR)  # begins when the averaging does
        if scheduler.last_epoch <= 0 and loop.made >= max(20, wait) and not late:
            loop.events.say(
                loop.step,
                found(
                    NEVER,
                    "The learning-rate scheduler never steps",
                    Severity.MEDIUM,
                    f"The optimizer has a scheduler ({type(scheduler).__name__}), but after "
                    f"{loop.made} steps"
                    + ("" if epoch is None else f" ({loop.made // epoch} epochs)")
                    + " scheduler.step() has not been called.",
                    "Call scheduler.step() after each epoch, or after each step if the "
                    "schedule counts steps.",
                ),
            )
        elif scheduler.last_epoch > 0:
            loop.events.passes(NEVER, loop.step)

    def _past(self, loop: Loop, scheduler: Any) -> None:
        if isinstance(scheduler, CosineAnnealingLR) and scheduler.last_epoch > 2 * scheduler.T_max:
            each = scheduler.last_epoch / max(1, loop.made)
            loop.events.say(
                loop.step,
                found(
                    PAST,
                    "The cosine schedule is past its end and repeats",
                    Severity.MEDIUM,
                    f"T_max is {scheduler.T_max}, but the scheduler has made "
                    f"{scheduler.last_epoch} steps. The learning rate goes up and down again.",
                    "T_max counts calls of scheduler.step(). "
                    + (
                        "It is called after each batch, so set T_max to the number of "
                        "batches in the run."
                        if each > 0.5
                        else "Set it to the length of the run."
                    ),
                ),
            )

    def _slow(self, loop: Loop, around: Surroundings) -> None:
        """A schedule that counts batches but is stepped once per epoch."""
        scheduler: Any = around.scheduler
        epoch, calls = steps_of_epoch(loop, around), scheduler.last_epoch
        # Two calls and a tenth of the steps: neither per batch nor per accumulated batch.
        if epoch is None or not 1 < calls < 0.1 * loop.made or calls < loop.made // epoch - 1:
            return
        length = horizon(scheduler)
        per_batch = isinstance(scheduler, OneCycleLR | CyclicLR)
        # A length in epochs is hardly ever a multiple of the batches of an epoch.
        if length and (per_batch or (length >= max(100, 3 * epoch) and length % epoch == 0)):
            loop.events.say(
                loop.step,
                found(
                    SLOW,
                    "The scheduler counts batches, but is stepped once per epoch",
                    Severity.MEDIUM,
                    f"The {type(scheduler).__name__} has {length} steps. It was stepped {calls} "
                    f"times in {loop.made} optimizer steps. At this pace it needs "
                    f"{round(length / calls * loop.made):,} optimizer steps.",
                    "Call scheduler.step() after each optimizer.step().",
                ),
            )

    def _other(self, loop: Loop, scheduler: Any) -> None:
        loop.events.say(
            loop.step,
            found(
                OTHER,
                "The scheduler belongs to another optimizer",
                Severity.MEDIUM,
                f"The {type(scheduler).__name__} changes the learning rate of an optimizer that "
                "holds parameters of the model but makes no steps.",
                "Create the scheduler with the optimizer that makes the steps.",
            ),
        )


def steps_of_epoch(loop: Loop, around: Surroundings) -> int | None:
    """The number of steps per epoch, from the loader."""
    loader = around.loader(loop.passes[-1].size if loop.passes else 0)
    return None if loader is None else max(1, len(loader) // loop.accumulated)


def horizon(scheduler: Any) -> int | None:
    """The number of calls after which a schedule ends, if it is known.

    Example:
        >>> import torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.1)
        >>> horizon(CosineAnnealingLR(optimizer, T_max=80))
        80
    """
    for name in ("total_steps", "T_max", "total_iters", "total_size"):
        length = getattr(scheduler, name, None)
        if isinstance(length, int | float) and length > 0:
            return int(length)
    if isinstance(scheduler, LambdaLR):
        for each in scheduler.lr_lambdas:
            length = getattr(each, "keywords", {}).get("num_training_steps")
            if isinstance(length, int):
                return length
    return None
