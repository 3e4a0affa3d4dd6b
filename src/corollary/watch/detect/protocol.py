"""The order of calls in a loop: clear, backward, step. These findings are exact."""

import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.event import Streak
from corollary.watch.loss_graph import path_to_loss
from corollary.watch.state import Loop, Owned, tensors_in

MISSING = "loop/zero_grad_missing"
MISPLACED = "loop/zero_grad_before_step"
NO_BACKWARD = "loop/step_without_backward"
DETACHED = "loop/loss_detached"
KEPT = "loop/graph_kept"
AGAIN = "loop/backward_twice"
CUT = "loop/graph_cut"


class ZeroGrad(Detector):
    """Gradients that are never cleared, or cleared before they are used."""

    def __init__(self) -> None:
        self.missing, self.misplaced = Streak(2), Streak(2)
        self.mixed: dict[int, Streak] = {}  # by optimizer

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """Check whether the gradients of the backward pass were cleared."""
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
        """Check whether gradients of an earlier step were still there."""
        new = self.missing.see(owned.life.leftover)
        if new:
            loop.events.say(
                loop.step,
                found(
                    MISSING,
                    "Gradients are not cleared between steps",
                    Severity.HIGH,
                    "Each backward pass added to the gradients of earlier steps, so every "
                    "step uses the sum of all gradients so far.",
                    "Call optimizer.zero_grad() once per step, before the first backward pass.",
                ),
            )
        elif new is False:
            loop.events.passes(MISSING, loop.step)
        if len(loop.owned) > 1:
            self._mixed(loop, owned)

    def _mixed(self, loop: Loop, owned: Owned) -> None:
        """One gradient contains passes from before and after the step of another optimizer."""
        streak = self.mixed.setdefault(id(owned.optimizer), Streak(3, release=10))
        if streak.see(len(set(owned.life.turns)) > 1) and owned.parameters:
            loop.events.say(
                loop.step,
                found(
                    MISSING,
                    "Gradients of another optimizer's loss are not cleared",
                    Severity.MEDIUM,
                    "A backward pass for the step of another optimizer left gradients in "
                    f"{loop.name(owned.parameters[0])}, and the next backward pass added to "
                    "these gradients.",
                    "Call zero_grad() of each optimizer just before its own backward pass, "
                    "or detach the tensors that the other loss must not reach.",
                    where=loop.name(owned.parameters[0]),
                ),
            )


class Backward(Detector):
    """Steps without a backward pass, and backward passes that reach no parameter."""

    def __init__(self) -> None:
        self.detached, self.again = Streak(2), Streak(3, release=10)
        self.empty: dict[int, deque[bool]] = {}  # by optimizer: steps that nothing led to
        self.passes: dict[int, int] = {}  # by optimizer: passes since its step
        self.root: weakref.ref[Tensor] | None = None  # of the last pass

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Whether the same loss has a second backward pass."""
        twice = self.root is not None and bool(roots) and self.root() is roots[0]
        self.root = weakref.ref(roots[0]) if roots else None
        if self.again.see(twice) if twice else False:
            loop.events.say(
                loop.step,
                found(
                    AGAIN,
                    "backward() is called twice on the same loss",
                    Severity.MEDIUM,
                    "backward() is called again on the same loss tensor before the step, so its "
                    "gradient counts twice.",
                    "Call backward() once per loss. With retain_graph=True the second call "
                    "raises no error.",
                ),
            )

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """Whether the pass reached no parameter, because the model is not in the loss graph."""
        for key in loop.owned:
            self.passes[key] = self.passes.get(key, 0) + 1
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
                    f"{how}, so no parameter receives a gradient in the backward pass.",
                    "Compute the loss from the model's output without .item(), .detach(), "
                    ".numpy() or torch.no_grad().",
                ),
            )
            loop.events.drop(NO_BACKWARD)
            loop.events.drop(CUT)
        elif new is False:
            loop.events.passes(DETACHED, loop.step)

    def on_step_begin(self, loop: Loop, owned: Owned, closure: bool) -> None:
        """A step needs a backward pass after the step before."""
        key = id(owned.optimizer)
        passes = self.passes.pop(key, 0)
        asks = any(p.requires_grad for p in owned.life.parameters)
        if closure or not asks or loop.events.find(DETACHED):
            return
        seen = self.empty.setdefault(key, deque(maxlen=8))
        seen.append(owned.life.backwards == 0)
        # Three in a row, or every second: a step that is made twice.
        often = sum(seen) >= 4 or (len(seen) >= 3 and all(list(seen)[-3:]))
        stale = any(p.grad is not None for p in owned.life.parameters)
        if not often:
            if not any(seen):
                loop.events.passes(NO_BACKWARD, loop.step)
        elif passes and not stale:
            loop.events.say(loop.step, self._unreached(loop, owned))
        else:
            loop.events.say(
                loop.step,
                found(
                    NO_BACKWARD,
                    "Steps are made without a backward pass",
                    Severity.HIGH if stale else Severity.MEDIUM,
                    f"{sum(seen)} of the last {len(seen)} calls of optimizer.step() were made "
                    "without a "
                    + (
                        "new backward pass. The same gradient is applied again."
                        if stale
                        else "backward pass. There is no gradient, and the step does nothing."
                    ),
                    "Call loss.backward() before each optimizer.step().",
                ),
            )

    def _unreached(self, loop: Loop, owned: Owned) -> Finding:
        names = [loop.name(p) for p in owned.parameters]
        return found(
            CUT,
            "No gradient reaches the parameters of an optimizer",
            Severity.HIGH,
            f"Backward passes are made, but none of them reaches {listed(names)}, which the "
            f"{type(owned.optimizer).__name__} steps.",
            "Look for .detach(), torch.no_grad() or .item() between these layers and the loss.",
            where=names[0] if names else "",
        )


class Sentinel:
    """A mark that exists as long as the graph node that holds it."""


class KeptGraphs(Detector):
    """Losses or outputs that are stored with their graphs, so that memory grows."""

    LOOKED = 32  # passes that are looked back at
    EVERY = 8

    def __init__(self) -> None:
        self.losses: deque[weakref.ref[Sentinel]] = deque(maxlen=self.LOOKED)
        self.outputs: deque[weakref.ref[Sentinel]] = deque(maxlen=self.LOOKED)
        self.count = 0
        self.streak = Streak(2, release=4)

    def on_answer(self, loop: Loop, output: Any) -> None:
        """Mark the node of the output that is furthest from the loss."""
        nodes = [t.grad_fn for t in tensors_in(output) if t.grad_fn is not None]
        if nodes and (self.count < 2 * self.LOOKED or self.count % 4 == 0):
            self.outputs.append(marked(nodes[-1]))

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Mark a node, and count the marks of earlier passes that still exist."""
        self.count += 1
        if self.count > 2 * self.LOOKED and self.count % 4:
            return  # a sample is enough later
        # The loss function's node: frameworks scale a loss before they go back from it.
        nodes: list[Any] = list(path_to_loss(roots[0])) if roots else []
        if nodes:
            self.losses.append(marked(nodes[-1]))
        if self.count % self.EVERY == 0:
            self._look(loop)

    def _look(self, loop: Loop) -> None:
        alive = {
            what: sum(ref() is not None for ref in list(refs)[: -self.EVERY])
            for what, refs in (("loss", self.losses), ("output", self.outputs))
            if len(refs) == self.LOOKED  # the latest are still in use
        }
        if not alive:
            return
        old, what = self.LOOKED - self.EVERY, max(alive, key=lambda name: alive[name])
        new = self.streak.see(alive[what] >= 0.9 * old)
        if new:
            loop.events.say(
                loop.step,
                found(
                    KEPT,
                    "Losses are kept with their graphs"
                    if what == "loss"
                    else "Outputs are kept with their graphs",
                    Severity.MEDIUM,
                    f"The graphs of {alive[what]} of {old} earlier passes are still in "
                    f"memory. Some code sums or stores the {what} tensor, and memory use "
                    "grows with each step.",
                    f"Store {what}.detach() instead"
                    + (", or loss.item()." if what == "loss" else ".")
                    + " Detach a recurrent state between batches, too.",
                    alive=alive[what],
                ),
            )
        elif new is False:
            loop.events.passes(KEPT, loop.step)


def marked(node: Any, key: str = "corollary.watch") -> weakref.ref[Sentinel]:
    """A weak reference that is alive as long as the node."""
    sentinel = Sentinel()
    node.metadata[key] = sentinel
    return weakref.ref(sentinel)
