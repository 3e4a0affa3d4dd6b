"""The settings of the optimizer, and whether its state and its updates are kept."""

import math
import statistics

import torch
from torch.optim import Adam, AdamW

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.state import Loop, Owned

NEW = "optimizer/recreated"
LOST = "optimizer/state_lost"
PULL = "optimizer/decay_too_large"
COUPLED = "optimizer/decay_in_adam"
STILL = "optimizer/frozen_parameters"
MOVES = "optimizer/frozen_parameters_move"
GROUP = "optimizer/group_without_rate"
EPS = "optimizer/eps_dominates"
ZERO = "lr/zero"
FORGET = 1 / 200  # of a weight per step: no training is that short


class Settings(Detector):
    """Looks at groups and states after a few steps."""

    LOOKED_AT = (0, 10, 30, 100, 1000)

    def __init__(self) -> None:
        self.idle: dict[int, int] = {}  # steps in which a group had no learning rate

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare groups, and look at the state of a few parameters."""
        self._rates(loop, owned)
        if owned.steps - 1 in self.LOOKED_AT or owned.steps % 20 == 0:
            self._frozen(loop, owned)
        if owned.steps - 1 in self.LOOKED_AT:
            self._coupled(loop, owned)
            self._decay(loop, owned)
            if owned.steps >= 30:
                self._eps(loop, owned)

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """A run that resumes from a checkpoint needs the optimizer's state."""
        if loop.made or loop.first_step == 0 or not keeps_state(owned) or owned.optimizer.state:
            return
        loop.events.say(
            loop.step,
            found(
                LOST,
                "The run is resumed without the optimizer's state",
                Severity.MEDIUM,
                f"The run resumes at step {loop.first_step}, but the "
                f"{type(owned.optimizer).__name__} has no momentum or second moments yet.",
                "Save optimizer.state_dict() with the model, and load it before training "
                "continues.",
            ),
        )

    def _rates(self, loop: Loop, owned: Owned) -> None:
        groups = owned.optimizer.param_groups
        rates = [float(group["lr"]) for group in groups]
        if all(rates):
            self.idle.clear()
            return
        for i, rate in enumerate(rates):
            self.idle[i] = self.idle.get(i, 0) + 1 if rate == 0 else 0
        still = [i for i in range(len(groups)) if self.idle.get(i, 0) >= 20]
        if len(still) == len(groups) and owned.largest_rate == 0:
            loop.events.say(
                loop.step,
                found(
                    ZERO,
                    "The learning rate is zero",
                    Severity.HIGH,
                    f"In all {self.idle[0]} steps so far, no weight has changed.",
                    "Check the schedule. A warm-up that uses integer division stays at zero.",
                ),
            )
        elif still and len(still) < len(groups):
            names = [loop.name(p) for i in still for p in groups[i]["params"]]
            loop.events.say(
                loop.step,
                found(
                    GROUP,
                    "A parameter group has no learning rate",
                    Severity.LOW,
                    f"The learning rate has been 0 for {self.idle[still[0]]} steps in "
                    f"{len(still)} of {len(groups)} parameter groups: {listed(names)}.",
                    "Set requires_grad=False for parameters that should stay fixed, or give the "
                    "group a learning rate.",
                    where=names[0] if names else "",
                ),
            )

    def _frozen(self, loop: Loop, owned: Owned) -> None:
        frozen = [p for p in owned.parameters if not p.requires_grad]
        moving = [p for p in frozen if p.grad is not None]  # a gradient from before
        if frozen:
            loop.events.say(
                loop.step,
                found(
                    MOVES if moving else STILL,
                    "The optimizer updates frozen parameters with old gradients"
                    if moving
                    else "Frozen parameters are in the optimizer",
                    Severity.MEDIUM if moving else Severity.LOW,
                    f"{len(frozen)} of {len(owned.parameters)} parameter tensors of the optimizer "
                    f"have requires_grad=False: {listed([loop.name(p) for p in frozen])}."
                    + (
                        " Their gradients are zero or old, but not None, so momentum and weight "
                        "decay still change them."
                        if moving
                        else ""
                    ),
                    "Pass only trainable parameters to the optimizer, and set .grad = None "
                    "when you freeze a parameter.",
                    where=loop.name((moving or frozen)[0]),
                ),
            )

    def _coupled(self, loop: Loop, owned: Owned) -> None:
        optimizer = owned.optimizer
        plain = type(optimizer) is Adam and not optimizer.defaults.get("decoupled_weight_decay")
        decay = max(float(g.get("weight_decay", 0)) for g in optimizer.param_groups)
        if plain and decay >= 0.01:
            loop.events.say(
                loop.step,
                found(
                    COUPLED,
                    "Adam divides weight decay by the size of the gradient",
                    Severity.LOW,
                    f"Adam adds weight_decay={decay:g} times the weight to the gradient, so "
                    "weights with large gradients hardly decay. Such values are usual for "
                    "AdamW.",
                    "Use AdamW.",
                ),
            )

    def _decay(self, loop: Loop, owned: Owned) -> None:
        """Decay alone multiplies weights by 1 - lr wd per step, and erases what was learned."""
        pulls = [
            float(g["lr"]) * float(g.get("weight_decay", 0)) / (1 - float(g.get("momentum", 0)))
            for g in owned.optimizer.param_groups
            if float(g.get("momentum", 0)) < 1
        ]
        if pulls and max(pulls) > FORGET and type(owned.optimizer) is not Adam:
            half = math.log(2) / max(pulls)
            loop.events.say(
                loop.step,
                found(
                    PULL,
                    "Weight decay shrinks the weights faster than they are learned",
                    Severity.MEDIUM,
                    f"Learning rate times weight decay is {max(pulls):.2g}. Without gradients "
                    f"the weights would halve every {half:.0f} steps.",
                    "Lower weight_decay. Usual values are 0.01 to 0.1 for AdamW and 1e-4 for SGD.",
                ),
            )

    @torch.no_grad()
    def _eps(self, loop: Loop, owned: Owned) -> None:
        """Where eps is far above the root of the second moment, Adam is slow gradient descent."""
        if not isinstance(owned.optimizer, Adam | AdamW):
            return
        group = owned.optimizer.param_groups[0]
        shares = []
        for p in owned.life.parameters:
            v = owned.optimizer.state.get(p, {}).get("exp_avg_sq")
            if v is not None and v.numel():
                v = v.reshape(-1)[:4096]
                shares.append(float((v.sqrt() < 0.1 * group["eps"]).float().mean()))
        if shares and statistics.median(shares) > 0.9:
            loop.events.say(
                loop.step,
                found(
                    EPS,
                    "Adam divides by eps instead of by the size of the gradients",
                    Severity.LOW,
                    "For more than 90 % of the weights, the root of the second moment is "
                    f"below a tenth of eps={group['eps']:g}. The steps are far smaller than "
                    "the learning rate.",
                    "Lower eps, or find out why the gradients are so small.",
                ),
            )


class Recreated(Detector):
    """A new optimizer is created repeatedly for the same parameters."""

    every_step = True

    def __init__(self) -> None:
        self.told = 0

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Count the optimizers that were replaced."""
        times = len(loop.recreated)
        if times < 3 or times == self.told:
            return
        self.told = times
        state = keeps_state(owned)
        loop.events.say(
            loop.step,
            found(
                NEW,
                "The optimizer is recreated again and again",
                Severity.MEDIUM if state else Severity.LOW,
                f"In {loop.made + 1} steps {times} new {type(owned.optimizer).__name__} objects "
                "took over the same parameters"
                + (". Momentum and second moments start from zero each time." if state else "."),
                "Create the optimizer once, before the loop.",
            ),
        )


def keeps_state(owned: Owned) -> bool:
    """Whether its steps depend on earlier ones."""
    group = owned.optimizer.param_groups[0]
    return "betas" in group or "alpha" in group or float(group.get("momentum", 0)) > 0
