"""Changes from outside the optimizer: replaced weights, other networks, random seeds."""

import statistics
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.event import Streak
from corollary.watch.gradients import smallest
from corollary.watch.state import Loop, Owned

REPLACED = "loop/weights_replaced"
IDLE = "loop/model_not_trained"
SEED = "loop/same_seed"
SAME = "units/identical"


class ReplacedWeights(Detector):
    """Compares a few weights at the start of a step with those at the end of the last one."""

    def __init__(self) -> None:
        self.kept_at = (0, 0)  # the step, and the steps of all optimizers
        self.kept: list[tuple[Tensor, Tensor]] = []
        self.edited: list[int] = []  # steps before which weights had changed
        self.after_evaluation = 0  # how many of them came after an evaluation
        self.evaluations = 0
        self.jumps = 0  # how many of them the loss rose after
        self.before = float("nan")  # the usual loss before the last edit

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Whether something other than the optimizer has changed the weights."""
        if owned is not loop.main:
            return
        evaluated = loop.silent + loop.quiet > 0
        self.evaluations += evaluated
        next_step = (loop.made - 1, loop.turn) == self.kept_at  # nobody has made one between
        # Values, not versions: whoever writes to p.data leaves the version as it was.
        if next_step and any(not torch.equal(p.detach(), old) for p, old in self.kept):
            self.edited.append(loop.made)
            self.after_evaluation += evaluated
            self.before = statistics.median(loop.loss_values(10) or [float("nan")])
        self.kept = []

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Store the weights after the step, and check the loss after a change."""
        if owned is not loop.main:
            return
        self.kept_at = loop.made, loop.turn
        few = smallest([p for p in owned.life.parameters if p.requires_grad], 2)
        self.kept = [(p, p.detach().clone()) for p in few if p.numel() <= 1 << 14]
        if not self.edited or self.edited[-1] != loop.made or not loop.first_losses:
            return
        start, now = statistics.median(loop.first_losses[:3]), loop.losses[-1][1]
        # More than half of what had been learned is gone.
        self.jumps += bool(loop.made > 5 and now - self.before > 0.5 * (start - self.before) > 0)
        self._say(loop)

    def _say(self, loop: Loop) -> None:
        times = len(self.edited)
        rare = times < 0.2 * (loop.made + 1)
        back = rare and self.jumps >= 2
        swapped = rare and times >= 2 and self.after_evaluation >= 0.9 * times
        if not (back or swapped or times >= 20):
            return
        what = (
            f"and at {self.jumps} of these steps the loss went back towards its first value"
            if back
            else "after evaluations"
            if swapped
            else "between the steps"
        )
        loop.events.say(
            loop.step,
            found(
                REPLACED,
                "Weights are changed by something other than the optimizer",
                Severity.HIGH if back else Severity.MEDIUM if swapped else Severity.LOW,
                f"At {times} of {loop.made + 1} steps, the weights had changed since the "
                f"previous step, {what}.",
                "Look for load_state_dict, a reset of parameters, or averaged weights that are "
                "not swapped back."
                if rare
                else "This is fine if you clamp or normalize the weights.",
            ),
        )


class OtherModel(Detector):
    """Whether another network is trained instead of the watched one."""

    every_step = True

    def __init__(self) -> None:
        self.others = 0  # steps of other optimizers since the last of ours

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """The watched model is trained."""
        if self.others:
            loop.events.passes(IDLE, loop.step)
        self.others = 0

    def on_other_step(self, loop: Loop, optimizer: Optimizer) -> None:
        """Count."""
        self.others += 1
        if self.others == 20 and (loop.made or loop.main is None):
            loop.events.say(
                loop.step,
                found(
                    IDLE,
                    "The watched model is no longer trained" if loop.made else
                    "The watched model is not trained",
                    Severity.MEDIUM if loop.made == 0 else Severity.LOW,
                    f"{self.others} steps in a row were made by optimizers that hold no "
                    "parameter of this model.",
                    "If the model is created inside the loop, create it once before the loop.",
                ),
            )  # fmt: skip


class SameSeed(Detector):
    """Whether the random state is reset at every step."""

    def __init__(self) -> None:
        self.last: Tensor | None = None
        self.drew = False
        self.streak = Streak(5, release=5)

    def on_call(self, loop: Loop) -> None:
        """Compare the random state of this pass with that of the last pass."""
        if not loop.passes or loop.made > 60 and loop.made % 8 > 1:
            self.last = None
            return
        state = loop.passes[-1].rng
        if self.last is not None and self.streak.see(self.drew and torch.equal(self.last, state)):
            loop.events.say(
                loop.step,
                found(
                    SEED,
                    "The random state is the same at every step",
                    Severity.MEDIUM,
                    "Every forward pass starts from the same random state, so dropout masks "
                    "and noise never change.",
                    "Call torch.manual_seed once, before the loop.",
                ),
            )
        self.last = state

    def on_answer(self, loop: Loop, output: Any) -> None:
        """Record whether this pass has drawn random numbers."""
        if self.last is not None:
            self.drew = not torch.equal(self.last, torch.get_rng_state())


class Identical(Detector):
    """Units of a layer that have the same weights and stay equal."""

    LOOKED_AT = (20, 60)

    @torch.no_grad()
    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare the rows of each weight matrix except the last."""
        if owned is not loop.main or loop.made not in self.LOOKED_AT:
            return
        matrices = [p for p in owned.parameters if p.dim() >= 2 and p.requires_grad]
        same = [
            loop.name(p)
            for p in matrices[:-1]
            if len(p) > 1 and bool((p[0] == p[-1]).all()) and bool((p == p[:1]).all())
        ]
        if same:
            loop.events.say(
                loop.step,
                found(
                    SAME,
                    "All units of a layer are the same",
                    Severity.MEDIUM,
                    f"After {loop.made} steps all rows of {listed(same)} are equal. They "
                    "receive equal gradients, so the layer acts like a single unit.",
                    "Initialize the weights at random.",
                    where=same[0],
                ),
            )
