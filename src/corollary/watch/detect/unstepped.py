"""Backward passes without a step: an optimizer that never steps, or a scaler that skips steps."""

import math

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.gradients import smallest
from corollary.watch.loss_graph import SCALER
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import look_around

NEVER = "optimizer/never_steps"
NO_STEP = "loop/no_step"
SKIPPED = "scaler/steps_skipped"
ANEW = "scaler/made_anew"
PATIENCE = 40  # steps of other optimizers
# A scaler halves its scale at each step that it skips: from 2 ** 16 it is at 1 after 16 of them.
SKIPS = 24
LONG = 500  # passes per step that no accumulation has, where the epoch is not known
JUMP = 4.0  # a scale that grows by itself doubles


class Unstepped(Detector):
    """Counts passes whose gradients are cleared before any optimizer has stepped."""

    def __init__(self) -> None:
        self.turn = 0  # steps of all optimizers when the passes began
        self.passes = self.broken = 0  # since the last step; those with infinite gradients
        self.scale = math.inf
        self.anew = 0  # times that the scale jumped up
        self.skipped = 0  # infinite gradients of the whole run

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """Count, and follow the scale of the loss."""
        if loop.turn != self.turn:
            self.turn, self.passes, self.broken = loop.turn, 0, 0
            loop.events.passes(SKIPPED, loop.step)
            loop.events.passes(NO_STEP, loop.step)
        main = loop.main
        if main is None or not reached:
            return
        self.passes += 1
        factor = loop.graphs[-1].factor if loop.graphs else 1.0
        if factor >= SCALER:
            self._scaled(loop, main, factor)
        if self.passes >= SKIPS and main.life.cleared >= SKIPS - 1:
            skipped = self.broken >= 0.9 * self.passes
            loop.events.say(loop.step, self._skips(factor) if skipped else self._no_step(main))
        elif self.passes % SKIPS == 0 and self.passes >= self._patience(loop, main):
            loop.events.say(loop.step, self._no_step(main))

    def _patience(self, loop: Loop, main: Owned) -> int:
        """The number of passes in two epochs, if the loader was found; no step has so many."""
        loader = look_around(main.optimizer).loader(loop.passes[-1].size if loop.passes else 0)
        return LONG if loader is None else 2 * len(loader)

    def _scaled(self, loop: Loop, main: Owned, scale: float) -> None:
        few = [p.grad for p in smallest(main.life.parameters, 1) if p.grad is not None]
        bad = any(not math.isfinite(float(g.sum())) for g in few)
        self.broken += bad
        self.skipped += bad
        self.anew += scale >= JUMP * self.scale
        self.scale = scale
        if self.anew >= 2:
            loop.events.say(loop.step, self._made_anew(scale))

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Whether another optimizer waits for its first step."""
        if owned.steps == 1:
            loop.events.passes(NEVER, loop.step)
        if loop.turn < PATIENCE or loop.turn % 8:
            return
        for other in loop.owned.values():
            waits = other.steps == 0 and any(p.grad is not None for p in other.life.parameters)
            if waits and other.parameters:
                loop.events.say(loop.step, _never(loop, other))

    def _skips(self, scale: float) -> Finding:
        again = (
            " Between these passes the scale jumped up again, so the scaler is being recreated."
            * (self.anew > 0)
        )
        return found(
            SKIPPED,
            "The gradient scaler skips every step",
            Severity.HIGH,
            f"For {self.passes} backward passes in a row the scaled gradients overflowed and "
            f"optimizer.step() was skipped. The loss scale is now {scale:g}.{again}",
            "Create one GradScaler before the loop, call scaler.update() after each step, "
            "and use a mean loss.",
        )

    def _no_step(self, main: Owned) -> Finding:
        return found(
            NO_STEP,
            "Backward passes are not followed by a step",
            Severity.HIGH,
            f"{self.passes} backward passes in a row wrote gradients, and no optimizer has made a "
            f"step since. The step() method of the {type(main.optimizer).__name__} is not called.",
            "Call optimizer.step() after the backward pass, or after a few passes. If gradients "
            "are accumulated over more passes than an epoch has, no step is ever made.",
        )

    def _made_anew(self, scale: float) -> Finding:
        return found(
            ANEW,
            "The gradient scaler is recreated during the run",
            Severity.MEDIUM,
            f"The loss scale jumped up {self.anew} times (to {scale:g} now), and "
            f"{self.skipped} passes overflowed. Each new scaler skips steps until it has "
            "found its scale again.",
            "Create one GradScaler before the loop, and save its state with the checkpoint.",
        )


def _never(loop: Loop, owned: Owned) -> Finding:
    names = [loop.name(p) for p in owned.parameters]
    return found(
        NEVER,
        "An optimizer never steps",
        Severity.MEDIUM,
        f"Gradients reach {listed(names)}, but their {type(owned.optimizer).__name__} has "
        f"made no step while other optimizers made {loop.turn}. These parameters never change.",
        "Call step() of this optimizer after its backward pass.",
        where=names[0],
    )
