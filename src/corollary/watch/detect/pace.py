"""The start of a schedule, and its pace relative to the steps of the optimizer."""

import math
from typing import Any

from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, ExponentialLR, StepLR

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.schedule import LOOK, horizon, steps_of_epoch
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import Surroundings, look_around

ORDER = "schedule/before_optimizer"
RESUMED = "schedule/not_resumed"
FOREVER = "schedule/warm_up_in_epochs"
OFTEN = "schedule/steps_more_often"
BATCHES = "schedule/stepped_per_batch"
LONGER = "schedule/longer_than_run"


class Pace(Detector):
    """Compares the calls of the scheduler with the steps of the optimizer."""

    every_step = True

    def __init__(self) -> None:
        self.around: Surroundings | None = None
        self.resumed = False
        self.before = 0  # calls of the scheduler before this watch

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Check at the start, then at every tenth step."""
        if owned is not loop.main:
            return
        if loop.made in (0, LOOK):
            self.around = look_around(owned.optimizer)
        scheduler: Any = None if self.around is None else self.around.scheduler
        if loop.made == 0:
            self._order(loop, owned, scheduler)
            self.before = 0 if scheduler is None else int(scheduler.last_epoch)
        elif self.around is not None and scheduler is not None and loop.made % 10 == 0:
            calls = int(scheduler.last_epoch) - self.before
            self._forever(loop, self.around)
            self._often(loop, scheduler, calls)
            self._per_batch(loop, self.around, scheduler, calls)
            self._longer(loop, scheduler, calls)

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Whether the optimizer has a state before its first step here."""
        if owned is loop.main and not loop.made:
            self.resumed = bool(owned.optimizer.state) and not closure

    def _order(self, loop: Loop, owned: Owned, scheduler: Any) -> None:
        """After the first step of an optimizer, a scheduler has not yet stepped."""
        calls = 0 if scheduler is None else int(scheduler.last_epoch)
        states = list(owned.optimizer.state.values())[:1]
        before = int(states[0].get("step", 0)) - 1 if states else 0  # steps of an earlier run
        if before <= 0 and calls == 1:
            loop.events.say(loop.step, _early(scheduler))
        elif before >= 10 and calls == 0 and scheduler is not None:
            loop.events.say(loop.step, _started_again(scheduler, before))
        elif before < 0 and self.resumed and calls == 0 and scheduler is not None:
            loop.events.say(loop.step, _started_again(scheduler, None))

    def _often(self, loop: Loop, scheduler: Any, calls: int) -> None:
        if loop.made < 20 or calls < 1.5 * loop.made:
            return
        loop.events.say(
            loop.step,
            found(
                OFTEN,
                "The scheduler steps more often than the optimizer",
                Severity.LOW,
                f"{type(scheduler).__name__}.step() was called {calls} times in {loop.made} "
                "steps of the optimizer. The scheduler is stepped after each accumulated "
                "batch, or twice per step, and the learning rate changes too fast.",
                "Call scheduler.step() once after each optimizer.step().",
            ),
        )

    def _per_batch(self, loop: Loop, around: Surroundings, scheduler: Any, calls: int) -> None:
        """A schedule that changes the rate tenfold, or restarts, within an epoch of batches."""
        epoch = steps_of_epoch(loop, around)
        if epoch is None or epoch < 8 or calls < 0.8 * loop.made or loop.made < min(epoch, 40):
            return
        if isinstance(scheduler, CosineAnnealingWarmRestarts):
            fast = int(scheduler.T_0) < epoch
        elif isinstance(scheduler, StepLR):
            fast = scheduler.gamma ** (epoch / scheduler.step_size) < 0.5
        else:
            fast = isinstance(scheduler, ExponentialLR) and scheduler.gamma**epoch < 0.5
        if fast:
            loop.events.say(
                loop.step,
                found(
                    BATCHES,
                    "The scheduler counts epochs, but is stepped after every batch",
                    Severity.LOW,
                    f"{type(scheduler).__name__} has made {calls} steps in {loop.made} "
                    "batches. The learning rate is halved or restarted within one epoch of "
                    f"{epoch} batches, and falls too fast.",
                    "Call scheduler.step() once per epoch.",
                ),
            )

    def _longer(self, loop: Loop, scheduler: Any, calls: int) -> None:
        """A run of known length covers only the beginning of its schedule."""
        length = horizon(scheduler)
        if not loop.planned or length is None or loop.made < 20 or calls < 2:
            return
        end = self.before + calls / loop.made * (loop.planned - loop.first_step)
        if length > 3 * end:
            loop.events.say(loop.step, _long(scheduler, length, round(end)))

    def on_close(self, loop: Loop) -> None:
        """The run is over, and its schedule has hardly begun."""
        scheduler: Any = None if self.around is None else self.around.scheduler
        length = None if scheduler is None else horizon(scheduler)
        if length is None or loop.made < 20 or int(scheduler.last_epoch) - self.before < 2:
            return
        if length > 3 * int(scheduler.last_epoch):
            loop.events.say(loop.step, _long(scheduler, length, int(scheduler.last_epoch)))

    def _forever(self, loop: Loop, around: Surroundings) -> None:
        """A warm-up that, at the pace of its first steps, takes more than ten epochs."""
        scheduler, epoch, main = around.scheduler, steps_of_epoch(loop, around), loop.main
        if scheduler is None or epoch is None or main is None or loop.made < max(50, 2 * epoch):
            return
        target = max((float(r) for r in getattr(scheduler, "base_lrs", ())), default=0.0)
        rising = main.first_rate <= main.rate == main.largest_rate
        end = loop.made * target / main.rate if main.rate > 0 else math.inf
        if rising and main.rate < 0.2 * target and end > 10 * epoch:
            said = f"in about {end / epoch:.0f} epochs" if math.isfinite(end) else "never"
            loop.events.say(
                loop.step,
                found(
                    FOREVER,
                    "The warm-up takes more than ten epochs",
                    Severity.LOW,
                    f"After {loop.made} steps ({loop.made // epoch} epochs) the learning rate "
                    f"is {main.rate:.2g}, {main.rate / target:.1%} of its target "
                    f"{target:.2g}. It reaches this target {said}, and is too small until "
                    "then.",
                    "Give the length of the warm-up in calls of scheduler.step(), whether "
                    "these are steps or epochs.",
                ),
            )
        elif main.rate > 0.5 * target:
            loop.events.passes(FOREVER, loop.step)


def _long(scheduler: Any, length: int, made: int) -> Finding:
    return found(
        LONGER,
        "The schedule is longer than the run",
        Severity.LOW,
        f"{type(scheduler).__name__} has {length} steps, but the run makes only {made}. The "
        "learning rate never falls as planned.",
        "Make the schedule as long as the run. Its length is the number of calls of "
        "scheduler.step(), not of examples.",
    )


def _early(scheduler: Any) -> Finding:
    return found(
        ORDER,
        "The scheduler steps before the optimizer",
        Severity.LOW,
        f"{type(scheduler).__name__}.step() was called before the first optimizer.step(). The "
        "first value of the schedule is skipped.",
        "Call optimizer.step() first, then scheduler.step().",
    )


def _started_again(scheduler: Any, steps: int | None) -> Finding:
    counts = "has a momentum from" if steps is None else f"counts {steps}"
    return found(
        RESUMED,
        "The optimizer is resumed, but its schedule starts again",
        Severity.LOW if steps is None else Severity.MEDIUM,
        f"The state of the optimizer {counts} earlier steps, but the "
        f"{type(scheduler).__name__} is at its beginning. Warm-up or decay is repeated.",
        "Save scheduler.state_dict() together with optimizer.state_dict(), and load both.",
    )
