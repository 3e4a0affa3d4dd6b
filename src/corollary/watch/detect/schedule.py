"""Learning-rate schedules that never act, end too early, or go past their end."""

from typing import Any

from torch.optim.lr_scheduler import CosineAnnealingLR

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import Surroundings, look_around

NEVER = "schedule/never_steps"
ENDED = "schedule/ended_early"
PAST = "schedule/past_its_end"
LOOK = 3  # the step at which the loop's variables are searched
LONG = 1000  # steps after which a schedule must have acted, if the epoch is not known
GONE = 1e-3  # of its largest value: a learning rate that no longer trains


class Schedule(Detector):
    """Follows the learning rate and, where it was found, the scheduler behind it."""

    every_step = True

    def __init__(self) -> None:
        self.around: Surroundings | None = None
        self.gone = 0  # steps in a row with hardly any learning rate

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare the rate with its largest, the scheduler with its steps."""
        if owned is not loop.main:
            return
        rate, largest = owned.rate, owned.largest_rate
        self.gone = self.gone + 1 if rate <= GONE * largest and largest > 0 else 0
        if loop.made == LOOK and getattr(owned.optimizer.step, "_wrapped_by_lr_sched", False):
            self.around = look_around(owned.optimizer)
        self._ended(loop, owned)
        if self.around is not None and self.around.scheduler is not None and loop.made % 10 == 0:
            self._never(loop, self.around)
            self._past(loop, self.around.scheduler)

    def _ended(self, loop: Loop, owned: Owned) -> None:
        left = loop.planned is None or loop.step < 0.9 * loop.planned
        if self.gone and self.gone >= max(30, loop.made // 4) and left:
            begun = loop.step - self.gone
            loop.events.say(
                loop.step,
                found(
                    ENDED,
                    "Training goes on with almost no learning rate",
                    Severity.MEDIUM,
                    f"For {self.gone} steps the learning rate has been {owned.rate:.2g}, below a "
                    f"thousandth of its largest value {owned.largest_rate:.2g}; it fell there "
                    f"within {begun} steps.",
                    "If the schedule counts epochs, call scheduler.step() once per epoch; if it "
                    "counts steps, make it as long as the run.",
                    rate=owned.rate,
                ),
            )

    def _never(self, loop: Loop, around: Surroundings) -> None:
        scheduler: Any = around.scheduler
        loader = around.loader(loop.passes[-1].size if loop.passes else 0)
        wait = LONG if loader is None else 2 * len(loader) + 2
        if scheduler._step_count <= 1 and loop.made >= max(20, wait):
            loop.events.say(
                loop.step,
                found(
                    NEVER,
                    "The learning-rate scheduler never steps",
                    Severity.MEDIUM,
                    f"A {type(scheduler).__name__} belongs to the optimizer, but after "
                    f"{loop.made} steps"
                    + ("" if loader is None else f" ({loop.made // len(loader)} epochs)")
                    + " scheduler.step() has not been called.",
                    "Call scheduler.step() after each epoch, or after each step if it counts "
                    "steps.",
                ),
            )
        elif scheduler._step_count > 1:
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
                    f"{scheduler.last_epoch} steps: the learning rate goes up and down again.",
                    "T_max counts scheduler.step() calls; "
                    + (
                        "it is called after each batch, so set T_max to the number of batches "
                        "of the run."
                        if each > 0.5
                        else "set it to the length of the run."
                    ),
                ),
            )
