"""Evaluations within a run: they must not train, and training must continue between them."""

from typing import Any

import torch
from torch import nn

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.fingerprint import fingerprint
from corollary.watch.detect.mode import LEFT, STEPS
from corollary.watch.state import Loop, Owned, Pass

LEFTOVER = "loop/gradients_of_evaluation"
IDLE = "loop/no_steps_between_evaluations"
BLOCK = 2  # steps in a row in evaluation mode that make a loop of them
TIMES = 3  # evaluations of the same batch without a step


class Validation(Detector):
    """Follows the mode of each pass that has a backward pass or a step."""

    def __init__(self) -> None:
        self.modes: list[bool] = []  # of the backward passes since the step: in training mode
        self.run = 0  # steps in a row in evaluation mode
        self.blocks = self.steps = 0  # such runs that ended in training mode, and their steps
        self.trained = False  # whether a step was made in training mode
        self.mixed = self.made = 0  # steps with gradients of evaluations, and all
        self.seen: dict[int, int] = {}  # evaluations of a batch since the step
        self.last: int | None = None
        self.since = -1  # steps made when they began

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """Record the mode of the pass."""
        if loop.passes and reached:
            self.modes.append(loop.passes[-1].training)

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Check the passes of this step."""
        if owned is not loop.main or not loop.passes:
            return
        used = self.modes[-max(1, owned.life.backwards) :]
        self.modes = []
        if not used:
            return
        training = used[-1]
        self.made += 1
        self.mixed += training and not all(used) and self.trained
        if self.mixed >= 2 and self.mixed < 0.5 * self.made:
            loop.events.say(loop.step, _leftover(self.mixed, used.count(False)))
        self._blocks(loop, training)

    def _blocks(self, loop: Loop, training: bool) -> None:
        """Blocks of steps in evaluation mode between blocks in training mode."""
        if not training:
            self.run += self.trained
            return
        if self.run >= BLOCK:
            self.blocks += 1
            self.steps += self.run
        self.run, self.trained = 0, True
        if self.blocks >= 2:
            loop.events.drop(LEFT)
            loop.events.say(loop.step, _steps(self.steps, self.blocks))

    @torch.no_grad()
    def on_silent_call(self, loop: Loop, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Count evaluations of the same batch without a step in between."""
        if not loop.made or loop.model.training or _random(loop.model):
            return
        mark = fingerprint(Pass(args, kwargs, False, torch.empty(0)))
        if mark is None:
            return
        if loop.made != self.since:
            self.seen, self.last, self.since = {}, None, loop.made
        self.seen[mark] = self.seen.get(mark, 0) + 1
        if self.seen[mark] >= TIMES + (self.last == mark):
            loop.events.say(loop.step, _idle(self.seen[mark], loop.made))
        self.last = mark


def _random(model: nn.Module) -> bool:
    """Whether dropout is on in evaluation mode, to sample answers."""
    return any(m.training for m in model.modules() if isinstance(m, nn.modules.dropout._DropoutNd))


def _steps(steps: int, blocks: int) -> Finding:
    return found(
        STEPS,
        "The optimizer steps during evaluation",
        Severity.MEDIUM,
        f"{steps} steps in {blocks} blocks were made in evaluation mode, between blocks of "
        "steps in training mode. A validation loop calls backward() and step(), so the "
        "network is trained on the data that it is evaluated on.",
        "Evaluate under torch.no_grad(), without backward() and step().",
    )


def _leftover(times: int, passes: int) -> Finding:
    return found(
        LEFTOVER,
        "Gradients of the evaluation are used in training",
        Severity.MEDIUM,
        f"At {times} steps the gradient also contained the gradients of {passes} backward "
        "passes in evaluation mode, which were not cleared. The step applies gradients of "
        "validation data.",
        "Evaluate under torch.no_grad(), or call zero_grad() before the next backward pass.",
    )


def _idle(times: int, made: int) -> Finding:
    return found(
        IDLE,
        "Evaluations repeat, but no training step is made between them",
        Severity.LOW,
        f"The same batch was evaluated {times} times without an optimizer step in between, "
        f"after {made} steps in total. The training batches may be used up: a generator or "
        "iterator is empty after one epoch.",
        "Create the generator again in each epoch, or iterate over a DataLoader.",
    )
