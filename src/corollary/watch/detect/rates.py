"""Learning rates over time, compared with schedulers, copies of groups and variables."""

import re
from collections import deque
from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, CyclicLR

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.detect.in_vain import VAIN
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import Surroundings, look_around, variables

ALONE = "optimizer/one_group_scheduled"
OVERWRITTEN = "schedule/overwritten"
AGAIN = "schedule/starts_again"
LOOKS = (3, 30, 60, 120, 190)  # steps at which variables are searched
RATE = re.compile(r"^(lr|learning_?rate)$|_lr$|^lr_|_learning_?rate$", re.I)
BASES = re.compile(r"max|min|base|init|start|end|final|peak|decay|mult|factor|schedul|gamma", re.I)
LONG = 12  # steps of one kind in a row


class Rates(Detector):
    """Follows the learning rate of each group of the main optimizer."""

    every_step = True

    def __init__(self) -> None:
        self.first: list[float] = []
        self.changes: list[int] = []  # of each group
        self.last: list[float] = []
        self.around: Surroundings | None = None
        self.off = 0  # steps in a row whose rate no scheduler has set
        self.set: set[float] = set()  # rates that the scheduler has set
        self.copies: deque[tuple[list[dict[str, Any]], float]] = deque(maxlen=4)
        self.named: dict[str, list[float]] = {}  # values of variables, by name
        self.peak, self.low = 0.0, False  # the largest rate, and whether it has fallen since
        self.cycles = -1  # times that it came back; negative until the first peak

    def on_save(self, loop: Loop, optimizer: Optimizer, state: dict[str, Any]) -> None:
        """Store the copied groups, because the user may write a learning rate into them."""
        groups = state.get("param_groups")
        if loop.main is not None and optimizer is loop.main.optimizer and groups:
            self.copies.append((groups, float(groups[0].get("lr", 0.0))))

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare."""
        if owned is not loop.main:
            return
        rates = [float(g["lr"]) for g in owned.optimizer.param_groups]
        if len(rates) != len(self.last):
            self.first, self.changes = rates, [0] * len(rates)
        else:
            self.changes = [
                n + (a != b) for n, a, b in zip(self.changes, self.last, rates, strict=True)
            ]
        self._cycles(loop, rates[0])
        self.last = rates
        self._copies(loop, rates)
        if loop.made in LOOKS:
            self.around = look_around(owned.optimizer)
            self._variables(loop, owned)
        if self.around is not None:
            self._scheduler(loop, self.around.scheduler, rates)
            if loop.made % 10 == 0 and self.around.scheduler is None and len(rates) > 1:
                self._groups(loop, owned)

    def _groups(self, loop: Loop, owned: Owned) -> None:
        """One group is changed by hand, and another group that was equal to it never changes."""
        moving = [i for i, n in enumerate(self.changes) if n >= 3]
        still = [i for i, n in enumerate(self.changes) if n == 0]
        same = [i for i in still if any(self.first[i] == self.first[j] for j in moving)]
        if moving and same:
            groups = owned.optimizer.param_groups
            names = [loop.name(p) for i in same for p in groups[i]["params"]]
            loop.events.say(loop.step, _one_group(self.changes[moving[0]], names))

    def _copies(self, loop: Loop, rates: list[float]) -> None:
        for groups, before in self.copies:
            now = float(groups[0].get("lr", 0.0))
            if now != before and now not in rates:
                loop.events.say(loop.step, _copied(now, rates[0]))

    def _scheduler(self, loop: Loop, scheduler: Any, rates: list[float]) -> None:
        """Rates that differ from the last value that the scheduler has set."""
        told = getattr(scheduler, "_last_lr", None)
        if not told or len(told) != len(rates):
            return
        last = float(told[0])
        self.set.add(last)
        self.off = self.off + 1 if abs(last - rates[0]) > 1e-6 * abs(last) else 0
        if self.off >= LONG and len(self.set) >= 2:
            loop.events.say(loop.step, _overwritten(type(scheduler).__name__, last, rates[0]))

    def _variables(self, loop: Loop, owned: Owned) -> None:
        """A variable named like a learning rate changes, but the rate of the optimizer does not."""
        for name, value in variables():
            if type(value) is float and RATE.search(name) and not BASES.search(name):
                self.named.setdefault(name, []).append(value)
        constant = not any(self.changes) and len(set(self.last)) == 1
        for name, values in self.named.items():
            if constant and len(set(values)) >= 3 and self.last[0] not in values[1:]:
                loop.events.say(loop.step, _in_vain(name, values[-1], self.last[0]))

    def _cycles(self, loop: Loop, now: float) -> None:
        """The rate falls below half of its peak and repeatedly comes back to it."""
        self.peak = max(self.peak, now)
        if now < 0.5 * self.peak:
            self.low = self.cycles >= 0
        elif self.low and now >= 0.9 * self.peak:
            self.cycles, self.low = self.cycles + 1, False
        elif now >= 0.9 * self.peak:
            self.cycles = max(self.cycles, 0)  # the first warm-up is over
        scheduler = None if self.around is None else self.around.scheduler
        planned = isinstance(scheduler, CosineAnnealingWarmRestarts | CyclicLR)
        if self.cycles >= 3 and not planned:
            loop.events.say(loop.step, _again(self.cycles, self.peak))


def _one_group(times: int, names: list[str]) -> Finding:
    return found(
        ALONE,
        "The learning rate is changed for one parameter group only",
        Severity.LOW,
        f"The learning rate of one group was changed {times} times by hand. Another group "
        f"began with the same learning rate and keeps its first value: {listed(names)}.",
        "Set group['lr'] for each group of optimizer.param_groups.",
        where=names[0] if names else "",
    )


def _copied(written: float, used: float) -> Finding:
    return found(
        VAIN,
        "A learning rate is set in a copy of the parameter groups",
        Severity.MEDIUM,
        f"optimizer.state_dict() returns copies of the groups. The learning rate {written:g} "
        f"was written into such a copy and has no effect; the steps use {used:g}.",
        "Set group['lr'] for each group of optimizer.param_groups.",
    )


def _overwritten(kind: str, told: float, used: float) -> Finding:
    return found(
        OVERWRITTEN,
        "The learning rate of the scheduler is overwritten",
        Severity.MEDIUM,
        f"The {kind} has set the learning rate to {told:.3g}, but for {LONG} steps the "
        f"optimizer has used {used:.3g}. Other code sets the learning rate by hand, and the "
        "schedule has no effect.",
        "Set the learning rate in one place only. After the warm-up, leave it to the scheduler.",
    )


def _in_vain(name: str, value: float, used: float) -> Finding:
    return found(
        VAIN,
        "A learning rate is computed but not used",
        Severity.LOW,
        f"The variable {name!r} changes over the run ({value:.3g} now), but the learning rate "
        f"of the optimizer stays at {used:.3g}.",
        "Set group['lr'] for each group of optimizer.param_groups.",
    )


def _again(times: int, peak: float) -> Finding:
    return found(
        AGAIN,
        "The learning rate starts again and again",
        Severity.LOW,
        f"The learning rate fell below half of {peak:.3g} and came back {times} times. The "
        "schedule or its warm-up restarts; perhaps the scheduler is recreated, or counts the "
        "batches of one epoch only.",
        "Create the scheduler once before the loop, and let it count the steps of the whole run.",
    )
