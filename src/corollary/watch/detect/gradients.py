"""Clipping, accumulation, vanishing gradients and units that never act."""

import statistics
from collections import deque
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.event import Streak
from corollary.watch.gradients import Mark, mark, smallest
from corollary.watch.loss_graph import SCALER
from corollary.watch.measure.layers import LayerProbe
from corollary.watch.measure.updates import Update, norms, total
from corollary.watch.state import Loop, Owned

ALWAYS = "clip/always"
NEVER = "clip/never"
UNEVEN = "accumulation/uneven"
SUMMED = "accumulation/summed"
VANISH = "gradient/vanishes"
DEAD = "units/dead"
EVERY = 5  # steps between two looks at clipping
ENOUGH = 20  # looks before anything is said


class Clipping(Detector):
    """Compares a few gradients after the backward pass with the same before the step."""

    def __init__(self) -> None:
        self.factors: list[float] = []
        self.written: list[bool] = []  # whether the gradients were written to in between
        self.before: tuple[float, list[Mark]] | None = None
        self.few: list[nn.Parameter] = []

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """Measure what the pass wrote."""
        every = EVERY if len(self.factors) < 2 * ENOUGH else 5 * EVERY
        if loop.main is None or loop.made % every or not reached:
            return
        if not self.few:
            self.few = smallest(loop.main.life.parameters, 3)
        few = self.few
        scale = loop.graphs[-1].factor if loop.graphs else 1.0
        scale = scale if scale >= SCALER else 1.0  # of a GradScaler, which divides it out again
        self.before = total(_grad_norms(few)) / scale, [mark(p) for p in few]

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Measure what the step used: gradients are still there."""
        if owned is not loop.main or self.before is None:
            return
        was, marks = self.before
        few, self.before = self.few, None
        now = total(_grad_norms(few))
        if was > 0 and now > 0:
            self.factors.append(now / was)
            self.written.append(any(mark(p) != m for p, m in zip(few, marks, strict=True)))
        if len(self.factors) >= ENOUGH:
            self._say(loop)

    def _say(self, loop: Loop) -> None:
        recent, written = self.factors[-ENOUGH:], self.written[-2 * ENOUGH :]
        acted = sum(f < 0.99 for f in recent)
        if acted >= 0.95 * ENOUGH:
            usual = statistics.median(recent)
            loop.events.say(
                loop.step,
                found(
                    ALWAYS,
                    "Gradient clipping acts at every step",
                    Severity.LOW,
                    f"In {acted} of the last {ENOUGH} measured steps the gradient was clipped, "
                    f"usually to {usual:.2g} of its length: the threshold sets the size of "
                    "the steps.",
                    "Raise the threshold to the usual length of the gradient, or lower the "
                    "learning rate instead.",
                    factor=usual,
                ),
            )
        else:
            loop.events.passes(ALWAYS, loop.step)
        if len(written) == 2 * ENOUGH and all(written) and min(self.factors) > 0.999:
            loop.events.say(
                loop.step,
                found(
                    NEVER,
                    "Gradient clipping never acts",
                    Severity.LOW,
                    f"The gradient was clipped in none of {len(self.factors)} measured steps.",
                    "Lower the threshold if it should catch large gradients.",
                ),
            )
        elif min(self.factors) < 0.99:
            loop.events.passes(NEVER, loop.step)


class Accumulation(Detector):
    """Micro-batches that count alike although they hold different numbers of targets."""

    def __init__(self) -> None:
        self.uneven, self.summed = Streak(3, release=20), Streak(10, release=20)
        self.worst = 1.0

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Look at the losses of this step's passes."""
        if owned is not loop.main or loop.accumulated < 2:
            return
        graphs = loop.graphs[-loop.accumulated :]
        self._uneven(loop, [g.counted for g in graphs if g.counted and g.mean], graphs[0].factor)
        plain = all(abs(g.factor - 1) < 1e-9 and g.mean and g.kind for g in graphs)
        if self.summed.see(plain and len(graphs) == loop.accumulated):
            loop.events.say(
                loop.step,
                found(
                    SUMMED,
                    "Accumulated gradients are summed, not averaged",
                    Severity.LOW,
                    f"Each of {loop.accumulated} mean losses per step enters with weight 1, so "
                    f"the gradient is {loop.accumulated} times that of the whole batch.",
                    f"Divide the loss by {loop.accumulated}, unless the learning rate takes it "
                    "into account.",
                ),
            )

    def _uneven(self, loop: Loop, counts: Sequence[float], factor: float) -> None:
        if len(counts) < 2:
            return
        spread = max(counts) / max(min(counts), 1e-9)
        self.worst = max(self.worst, spread)
        # A last batch that is smaller is usual; a difference of a fifth at three steps is not.
        if self.uneven.see(spread > 1.2):
            loop.events.say(
                loop.step,
                found(
                    UNEVEN,
                    "Gradient accumulation weights targets unequally",
                    Severity.MEDIUM,
                    "Each pass of a step takes the mean over its own targets, and one pass has up "
                    f"to {self.worst:.2g} times as many as another; passes have equal weight, so "
                    "targets in a short pass count more.",
                    "Use reduction='sum' and divide by the number of targets of the whole step.",
                    spread=self.worst,
                ),
            )


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
                    f"Relative to the weights, gradients of the first half of the layers are "
                    f"{first / last:.1e} of those of the second half.",
                    "Use residual connections, normalization layers or an initialization that "
                    "keeps the scale (He for ReLU).",
                    where=rows[0][1],
                ),
            )
        elif new is False:
            loop.events.passes(VANISH, loop.step)


class DeadUnits(Detector):
    """Units that were zero for every example of several batches."""

    LOOKS, ROWS = 3, 128  # batches and examples before a unit counts as dead

    def __init__(self) -> None:
        self.looks: dict[str, deque[tuple[int, Tensor]]] = {}  # rows, and which units acted

    def on_layers(self, loop: Loop, probe: LayerProbe) -> None:
        """Add the units that were active in this pass."""
        for each in list(probe.seen.values())[1:]:  # zeros in the network's input are data
            if each.a._version != each.version or not each.a.is_floating_point():
                continue
            rows = each.a.movedim(1, -1) if each.a.dim() == 4 else each.a
            rows = rows.reshape(-1, rows.shape[-1])
            kept = self.looks.setdefault(each.name, deque(maxlen=4))
            kept.append((len(rows), (rows != 0).any(0)))
        self._say(loop)

    def _say(self, loop: Loop) -> None:
        dead = {
            name: 1 - float(torch.stack([acted for _, acted in kept]).any(0).float().mean())
            for name, kept in self.looks.items()
            if len(kept) >= self.LOOKS and sum(n for n, _ in kept) >= self.ROWS
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
                    f"{dead[worst]:.0%} of the units before {worst} were zero for every one of "
                    f"{sum(n for n, _ in self.looks[worst]):,} rows in the last "
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


@torch.no_grad()
def _grad_norms(parameters: Sequence[Tensor]) -> list[float]:
    return norms([p.grad for p in parameters if p.grad is not None])
