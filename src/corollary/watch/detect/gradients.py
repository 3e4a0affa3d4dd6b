"""Gradients that vanish, and units that are never active."""

import statistics
from collections import deque

import torch
from torch import Tensor

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.event import Streak
from corollary.watch.measure.layers import LayerProbe
from corollary.watch.measure.updates import Update
from corollary.watch.state import Loop

VANISH = "gradient/vanishes"
DEAD = "units/dead"
ZERO = "gradient/zero"


class Vanishing(Detector):
    """Gradients that are far smaller in the first layers than in the last."""

    def __init__(self) -> None:
        self.streak = Streak(3, release=3)

    def on_update(self, loop: Loop, update: Update) -> None:
        """Compare relative gradients, weights only."""
        order = {name: i for i, name in enumerate(loop.names.values())}
        rows = sorted(
            (order.get(name, 0), name, g / w)
            for name, w, g in zip(update.names, update.weights, update.gradients, strict=True)
            if w > 0 and name.endswith("weight")
        )
        if len(rows) < 4:
            return
        half = len(rows) // 2
        first = statistics.median(r for _, _, r in rows[:half])
        last = statistics.median(r for _, _, r in rows[half:])
        # Five orders of magnitude: below the rounding of the sums that make up a gradient.
        new = self.streak.see(0 <= first < 1e-5 * last)
        if new:
            loop.events.say(
                loop.step,
                found(
                    VANISH,
                    "Gradients vanish in the first layers",
                    Severity.MEDIUM,
                    "Relative to the weights, the gradients in the first half of the layers "
                    f"are {first / last:.1e} times those in the second half.",
                    "Use residual connections, normalization layers or an initialization that "
                    "keeps the scale (He for ReLU).",
                    where=rows[0][1],
                ),
            )
        elif new is False:
            loop.events.passes(VANISH, loop.step)


class Zero(Detector):
    """Gradients that exist and are exactly zero."""

    def __init__(self) -> None:
        self.times: dict[str, int] = {}

    def on_update(self, loop: Loop, update: Update) -> None:
        """Count by parameter; a parameter with a nonzero gradient is never counted again."""
        rows = list(zip(update.names, update.gradients, strict=True))
        for name, g in rows:
            self.times[name] = self.times.get(name, 0) + 1 if g == 0 else -(1 << 20)
        zero = [name for name, _ in rows if self.times[name] >= 3]
        if zero and len(zero) < len(rows):
            loop.events.say(
                loop.step,
                found(
                    ZERO,
                    "Gradients of some layers are exactly zero",
                    Severity.LOW,
                    f"At {self.times[zero[0]]} measured steps the gradients of {listed(zero)} "
                    "were exactly zero. The loss does not depend on these parameters.",
                    "Look for a loss term with weight 0, dead units, or an output that is cut by "
                    "a mask, clamp() or argmax().",
                    where=zero[0],
                ),
            )


class DeadUnits(Detector):
    """Units that were zero for every example of several batches."""

    LOOKS, ROWS = 3, 128  # batches and examples before a unit counts as dead
    SPAN = 16  # steps between the first and the last of them: units of the start may recover

    def __init__(self) -> None:
        self.looks: dict[str, deque[tuple[int, int, Tensor]]] = {}  # step, rows, which acted

    def on_layers(self, loop: Loop, probe: LayerProbe) -> None:
        """Add the units that were active in this pass."""
        for each in list(probe.seen.values())[1:]:  # zeros in the network's input are data
            if each.a._version != each.version or not each.a.is_floating_point():
                continue
            rows = each.a.movedim(1, -1) if each.a.dim() == 4 else each.a
            rows = rows.reshape(-1, rows.shape[-1])
            kept = self.looks.setdefault(each.name, deque(maxlen=4))
            kept.append((loop.made, len(rows), (rows != 0).any(0)))
        self._say(loop)

    def _say(self, loop: Loop) -> None:
        dead = {
            name: 1 - float(torch.stack([acted for *_, acted in kept]).any(0).float().mean())
            for name, kept in self.looks.items()
            if len(kept) >= self.LOOKS
            and sum(n for _, n, _ in kept) >= self.ROWS
            and kept[-1][0] - kept[0][0] >= self.SPAN
        }
        bad = sorted((name for name, share in dead.items() if share >= 0.5), key=dead.__getitem__)
        if bad:
            worst = bad[-1]
            loop.events.say(
                loop.step,
                found(
                    DEAD,
                    "More than half of a layer's units are dead",
                    Severity.MEDIUM,
                    f"{dead[worst]:.0%} of the units before {worst} were zero for all "
                    f"{sum(n for _, n, _ in self.looks[worst]):,} rows in the last "
                    f"{len(self.looks[worst])} measured batches"
                    + (f" (also before {listed(bad[:-1])})." if len(bad) > 1 else "."),
                    "Lower the learning rate, or use a leaky activation and a smaller "
                    "initialization.",
                    where=worst,
                    share=dead[worst],
                ),
            )
        elif dead:
            loop.events.passes(DEAD, loop.step)
