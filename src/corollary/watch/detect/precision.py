"""Half precision: updates and gradients that are too small for it."""

from typing import Any

import torch

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.event import Streak
from corollary.watch.loss_graph import SCALER
from corollary.watch.measure.updates import Update
from corollary.watch.state import Loop, Owned, tensors_in

ROUNDED = "optimizer/updates_rounded_away"
UNSCALED = "scaler/missing"


class Rounded(Detector):
    """Updates that are too small for the precision of the weights."""

    def __init__(self) -> None:
        self.streak = Streak(2, release=2)

    def on_update(self, loop: Loop, update: Update) -> None:
        """Look for weights that have a gradient and do not move."""
        rows = zip(update.names, update.gradients, update.changes, strict=True)
        lost = [name for name, gradient, change in rows if gradient > 0 and change == 0]
        # A number stays if its update is below half the spacing of its format: 2 ** -9 of it in
        # bfloat16. Where that holds for most weights, most of the step is lost.
        lost += [name for name, share in update.lost.items() if share > 0.5 and name not in lost]
        moves = loop.main is not None and loop.main.rate > 0
        if self.streak.see(moves and len(lost) > 0.5 * len(update.names)):
            kinds = {str(p.dtype).removeprefix("torch.") for p in loop.trained()}
            loop.events.say(
                loop.step,
                found(
                    ROUNDED,
                    "Updates are rounded away",
                    Severity.MEDIUM,
                    f"In {len(lost)} of {len(update.names)} parameter tensors most weights "
                    f"have gradients but did not change in the step: {listed(lost)}. Their "
                    "updates are below the precision of the weights "
                    f"({', '.join(sorted(kinds))}).",
                    "Keep the weights in float32 and compute under autocast, or raise the "
                    "learning rate.",
                    where=lost[0],
                ),
            )


class Unscaled(Detector):
    """A pass in float16 whose loss is not scaled."""

    def __init__(self) -> None:
        self.half = False
        self.streak = Streak(5, release=5)

    def on_answer(self, loop: Loop, output: Any) -> None:
        """Look at the dtype of the output."""
        self.half = any(t.dtype == torch.float16 for t in tensors_in(output))

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Whether the loss had a scale."""
        if owned is not loop.main:
            return
        scaled = bool(loop.graphs) and loop.graphs[-1].factor >= SCALER
        if self.streak.see(self.half and not scaled):
            loop.events.say(
                loop.step,
                found(
                    UNSCALED,
                    "Gradients are computed in float16 without a scaler",
                    Severity.LOW,
                    "The network computes in float16 (autocast or half()), and the loss is "
                    "not scaled. Gradients below 6e-8 underflow to zero.",
                    "Use torch.amp.GradScaler, or bfloat16.",
                ),
            )
