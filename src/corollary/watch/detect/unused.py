"""Training passes whose outputs no backward pass uses."""

import weakref
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.protocol import Sentinel, marked
from corollary.watch.event import Streak
from corollary.watch.state import Loop, Owned, tensors_in
from corollary.watch.surroundings import look_around

UNUSED = "loop/batches_not_used"
ONCE = "accumulation/one_step_per_epoch"
LEAST = 3  # passes per step


class Unused(Detector):
    """Marks the graph of each output, and checks which are gone when a backward pass begins."""

    def __init__(self) -> None:
        self.waiting: list[tuple[weakref.ref[Sentinel], int]] = []  # and the size of its batch
        self.gone: list[int] = []  # sizes of batches that were not used, since the step
        self.streak = Streak(3, release=5)

    def on_answer(self, loop: Loop, output: Any) -> None:
        """Mark it."""
        nodes = [t.grad_fn for t in tensors_in(output) if t.grad_fn is not None]
        if nodes and loop.passes and loop.passes[-1].training and len(self.waiting) < 1000:
            self.waiting.append((marked(nodes[0], "corollary.unused"), loop.passes[-1].size))

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Count the graphs that are gone; they were never differentiated."""
        self.gone += [size for ref, size in self.waiting if ref() is None]
        self.waiting = []

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare with the batch that was used."""
        if owned is not loop.main:
            return
        size = loop.passes[-1].size if loop.passes else 0
        if loop.made == 1 and loop.accumulated > LEAST:
            self._once(loop, look_around(owned.optimizer).loader(size))
        lost = sum(each == size for each in self.gone)
        self.gone = []
        new = self.streak.see(lost >= LEAST and lost >= loop.accumulated)
        if new:
            loop.events.say(loop.step, _unused(lost, loop.accumulated))
        elif new is False:
            loop.events.passes(UNUSED, loop.step)

    def _once(self, loop: Loop, loader: Any) -> None:
        """As many passes per step as the loader has batches."""
        if loader is None or loop.accumulated != len(loader):
            return
        summed = bool(loop.graphs) and loop.graphs[-1].factor == 1
        loop.events.say(
            loop.step,
            found(
                ONCE,
                "The optimizer steps once per epoch",
                Severity.MEDIUM if summed else Severity.LOW,
                f"A step is made after {loop.accumulated} backward passes, one for each batch "
                "of the loader" + (", and all their gradients are summed." if summed else "."),
                "Call optimizer.step() inside the loop over batches (check its indentation).",
            ),
        )


def _unused(lost: int, used: int) -> Finding:
    return found(
        UNUSED,
        "Most training batches have no backward pass",
        Severity.MEDIUM,
        f"Before this step {lost} training passes were computed and discarded, and {used} had "
        "a backward pass. The step learns only from the last batch.",
        "Call loss.backward() inside the loop over batches (check its indentation), or sum "
        "the losses before the call.",
    )
