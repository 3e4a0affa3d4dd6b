"""The order of calls in a loop: clear, backward, step. What is said here is exact."""

import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.event import Streak
from corollary.watch.loss_graph import path_to_loss
from corollary.watch.state import Loop, Owned

MISSING = "loop/zero_grad_missing"
MISPLACED = "loop/zero_grad_before_step"
NO_BACKWARD = "loop/step_without_backward"
DETACHED = "loop/loss_detached"
KEPT = "loop/graph_kept"


class ZeroGrad(Detector):
    """Gradients that are never cleared, or cleared before they are used."""

    def __init__(self) -> None:
        self.missing, self.misplaced = Streak(2), Streak(2)

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Whether what backward wrote is gone."""
        if closure:
            return
        new = self.misplaced.see(owned.life.cleared_after_backward())
        if new:
            loop.events.say(
                loop.step,
                found(
                    MISPLACED,
                    "Gradients are cleared before the step",
                    Severity.HIGH,
                    "Between the backward pass and optimizer.step() the gradients were set to "
                    "zero or None, so the steps do not use them.",
                    "Call zero_grad() before the backward pass or after the step.",
                ),
            )
        elif new is False:
            loop.events.passes(MISPLACED, loop.step)

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Whether gradients of a step before were still there."""
        new = self.missing.see(owned.life.leftover)
        if new:
            loop.events.say(
                loop.step,
                found(
                    MISSING,
                    "Gradients are not cleared between steps",
                    Severity.HIGH,
                    "The gradients of earlier steps were still there when the backward pass added "
                    "to them, so every step uses the sum of all gradients so far.",
                    "Call optimizer.zero_grad() once per step, before the first backward pass.",
                ),
            )
        elif new is False:
            loop.events.passes(MISSING, loop.step)


class Backward(Detector):
    """Steps without a backward pass, and backward passes that reach no parameter."""

    def __init__(self) -> None:
        self.empty, self.detached = Streak(3), Streak(2)

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """A pass that reaches nothing is a loss without the model in its graph."""
        cut = not reached and all(p.grad is None for p in loop.trained())
        leaf = bool(loop.graphs) and loop.graphs[-1].leaf
        new = self.detached.see(cut or (leaf and not reached))
        if new:
            how = (
                "The loss has no graph (it was made by torch.tensor(...), .item() or .detach())"
                if leaf
                else "The graph of the loss does not contain any parameter of the model"
            )
            loop.events.say(
                loop.step,
                found(
                    DETACHED,
                    "The loss is cut off from the model",
                    Severity.HIGH,
                    f"{how}, so the backward pass gives no parameter a gradient.",
                    "Compute the loss from the model's output without .item(), .detach(), "
                    ".numpy() or torch.no_grad().",
                ),
            )
            loop.events.drop(NO_BACKWARD)
        elif new is False:
            loop.events.passes(DETACHED, loop.step)

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """A step needs a backward pass since the last one."""
        if closure or loop.events.find(DETACHED):
            return
        new = self.empty.see(owned.life.backwards == 0)
        stale = any(p.grad is not None for p in owned.life.parameters)
        if new:
            loop.events.say(
                loop.step,
                found(
                    NO_BACKWARD,
                    "Steps without a backward pass",
                    Severity.HIGH if stale else Severity.MEDIUM,
                    "optimizer.step() was called three times in a row without a new backward "
                    + (
                        "pass: the same gradient is applied again."
                        if stale
                        else "pass: there is no gradient, and the step does nothing."
                    ),
                    "Call loss.backward() before each optimizer.step().",
                ),
            )
        elif new is False:
            loop.events.passes(NO_BACKWARD, loop.step)


class _Sentinel:
    """Lives as long as the node of the graph that holds it."""


class KeptGraphs(Detector):
    """Losses that are summed or stored with their graphs, so that memory grows."""

    LOOKED = 32  # passes that are looked back at
    EVERY = 8

    def __init__(self) -> None:
        self.refs: deque[weakref.ref[_Sentinel]] = deque(maxlen=self.LOOKED)
        self.count = 0
        self.streak = Streak(2, release=4)

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Mark a node, and see how many marks of earlier passes still live."""
        self.count += 1
        if self.count > 2 * self.LOOKED and self.count % 4:
            return  # a sample is enough later
        # The loss function's node: frameworks scale a loss before they go back from it.
        nodes: list[Any] = list(path_to_loss(roots[0])) if roots else []
        if nodes:
            sentinel = _Sentinel()
            nodes[-1].metadata["corollary.watch"] = sentinel
            self.refs.append(weakref.ref(sentinel))
        if self.count % self.EVERY or len(self.refs) < self.LOOKED:
            return
        old = list(self.refs)[: -self.EVERY]  # the latest are still in use
        alive = sum(ref() is not None for ref in old)
        new = self.streak.see(alive >= 0.9 * len(old))
        if new:
            loop.events.say(
                loop.step,
                found(
                    KEPT,
                    "Losses are kept with their graphs",
                    Severity.MEDIUM,
                    f"The graphs of {alive} of {len(old)} earlier passes are still in memory: "
                    "something sums or stores the loss tensor, and memory grows with each step.",
                    "Store loss.item() or loss.detach() instead of the loss.",
                    alive=alive,
                ),
            )
        elif new is False:
            loop.events.passes(KEPT, loop.step)
