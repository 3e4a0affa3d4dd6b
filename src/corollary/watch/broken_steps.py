"""Losses and gradients that are not finite: reported once, and the step is saved for a replay."""

import math
import sys
from pathlib import Path

from torch import nn

from corollary.watch import forensics
from corollary.watch.gradients import probes, smallest
from corollary.watch.loss_graph import SCALER
from corollary.watch.state import Loop
from corollary.watch.writing import Writer


class BrokenSteps:
    """Looks at every loss and at one small gradient of the first layers.

    Args:
        loop: The run.
        writer: The writer of its record.
        place: The path next to which the file of a step is written; None writes no file.
        limit: The largest size of this file in bytes.
    """

    def __init__(self, loop: Loop, writer: Writer, place: Path | None, limit: int) -> None:
        self.loop, self.writer = loop, writer
        self.place, self.limit = place, limit
        first: list[nn.Parameter] = smallest(probes(list(loop.model.parameters()))[:2], 1)
        self.first = first[0] if first else None
        self.known = False

    def see_loss(self, value: float) -> None:
        """Explain a loss that is not finite."""
        loop = self.loop
        if math.isfinite(value) or loop.events.find(forensics.NOT_FINITE):
            return
        self.known, loop.measuring = True, True
        try:
            finding = forensics.explain_loss(loop, value)
        finally:
            loop.measuring = False
        loop.events.say(loop.step, finding)
        self._keep()

    def see_gradient(self) -> None:
        """An error in later layers reaches the gradients of the first ones."""
        loop, first = self.loop, self.first
        if self.known or first is None or first.grad is None:
            return
        if math.isfinite(float(first.grad.sum())):
            return
        names = forensics.bad_gradients(loop)
        scaled = any(g.factor >= SCALER for g in loop.graphs)  # a GradScaler leaves such steps out
        if names and not scaled:
            self.known = True
            loop.events.say(loop.step, forensics.explain_gradient(loop, names))
            self._keep()

    def _keep(self) -> None:
        if self.place is None or not self.limit:
            return
        step = self.loop.step
        path = self.place.with_name(f"{self.place.stem}-step-{step}.pt")
        size = forensics.write_evidence(self.loop, path, self.limit)
        self.writer.evidence(step, None if size is None else str(path), size)
        if size is not None:
            hint = f"corollary replay {path} --model FILE.py:NAME"
            print(f"corollary: the training step is saved; {hint}", file=sys.stderr)
