"""What happens to gradients between the backward pass and the step, and after it.

The norms of a few small gradients after the backward pass are compared with their norms in the
step. Clipping, a GradScaler, and a loop that uses either of them wrongly lead to different factors.
"""

import math
import statistics
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.optim import SGD

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.event import Streak
from corollary.watch.gradients import Mark, mark, smallest
from corollary.watch.loss_graph import SCALER
from corollary.watch.measure.updates import norms, total
from corollary.watch.state import Loop, Owned

ALWAYS = "clip/always"
NEVER = "clip/never"
SCALED = "clip/before_unscale"
AFTER = "clip/after_step"
NOT_UNSCALED = "scaler/never_unscaled"
NOT_SCALED = "scaler/loss_not_scaled"
FEW = 3  # gradients that are compared
EVERY = 2  # steps between two looks at first, later ten times as many
ENOUGH = 20  # looks before anything is said of clipping
SURE = 6  # looks before something is said that one look would nearly prove
TINY = 0.01  # of its length: clipping that replaces the learning rate


class Clipping(Detector):
    """Compares a few gradients after the backward pass with the same gradients in the step."""

    def __init__(self) -> None:
        self.factors: list[float] = []
        self.scales: list[float] = []  # of a GradScaler, as the graph of the loss has it
        self.written: list[bool] = []  # whether the gradients were written to in between
        self.before: tuple[float, float, list[Mark]] | None = None
        self.few: list[nn.Parameter] = []

    def on_backward(self, loop: Loop, reached: bool) -> None:
        """Measure the gradients that the pass wrote."""
        every = EVERY if len(self.factors) < 2 * ENOUGH else 10 * EVERY
        every = 1 if loop.made < SURE else every
        if loop.main is None or loop.made % every or not reached:
            return
        if not self.few:
            self.few = smallest(loop.main.life.parameters, FEW)
        scale = loop.graphs[-1].factor if loop.graphs else 1.0
        scale = scale if scale >= SCALER else 1.0
        self.before = total(_grad_norms(self.few)), scale, [mark(p) for p in self.few]

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Measure the gradients that the step used; they still exist."""
        if owned is not loop.main or self.before is None:
            return
        (was, scale, marks), self.before = self.before, None
        now = total(_grad_norms(self.few))
        if was > 0 and now > 0:
            self.factors.append(now / was)
            self.scales.append(scale)
            self.written.append(any(mark(p) != m for p, m in zip(self.few, marks, strict=True)))
            self._say(loop, owned)

    def _say(self, loop: Loop, owned: Owned) -> None:
        if len(self.factors) < SURE:
            self._at_once(loop, owned)
            return
        wrong = self._scaler(owned)
        if wrong is not None:
            loop.events.say(loop.step, wrong)
            return
        for cause in (NOT_SCALED, NOT_UNSCALED, SCALED):
            loop.events.passes(cause, loop.step)
        kept = [_kept(f, s) for f, s in zip(self.factors, self.scales, strict=True)]
        recent = kept[-ENOUGH:]
        strong = isinstance(owned.optimizer, SGD) and max(recent) < TINY
        acted = sum(f < 0.99 for f in recent)
        if acted >= 0.95 * ENOUGH or (strong and len(recent) > SURE):
            loop.events.say(loop.step, _always(recent, acted, strong))
        else:
            loop.events.passes(ALWAYS, loop.step)
        self._never(loop, min(kept))

    def _at_once(self, loop: Loop, owned: Owned) -> None:
        """Whether two steps used a scale (a power of two) that was not divided out.

        NaN may follow soon.
        """
        scale, fused = self.scales[-1], any(g.get("fused") for g in owned.optimizer.param_groups)
        known = min(self.scales[-2:]) >= SCALER and _power_of_two([scale]) and not fused
        if len(self.scales) >= 2 and known and min(self.factors[-2:]) > 0.5:
            loop.events.say(loop.step, _not_unscaled(scale))

    def _never(self, loop: Loop, least: float) -> None:
        if len(self.written) >= 2 * ENOUGH and all(self.written[-2 * ENOUGH :]) and least > 0.999:
            loop.events.say(
                loop.step,
                found(
                    NEVER,
                    "Gradient clipping never acts",
                    Severity.LOW,
                    f"The gradient was clipped in none of {len(self.factors)} measured steps.",
                    "Lower the threshold if clipping should limit large gradients.",
                ),
            )
        elif least < 0.99:
            loop.events.passes(NEVER, loop.step)

    def _scaler(self, owned: Owned) -> Finding | None:
        """A loss scale that was not divided out, or a division without a scale."""
        factors, scales = self.factors[-SURE:], self.scales[-SURE:]
        if any(group.get("fused") for group in owned.optimizer.param_groups):
            return None  # it divides inside its step
        scaled = min(scales) >= SCALER
        if scaled and min(factors) > 0.5:
            return _not_unscaled(scales[-1])
        # A threshold c in place of a length N leaves c / N; of the scaled one, c / (N scale).
        if scaled and all(f * s * s < 16 for f, s in zip(factors, scales, strict=True)):
            return _before_unscale(statistics.median(factors) * scales[-1], scales[-1])
        if max(scales) == 1 and max(factors) * SCALER < 1.01 and _power_of_two(factors):
            return _not_scaled(factors[-1])
        return None


class AfterStep(Detector):
    """Keeps a few gradients of a step and checks whether they are changed afterwards."""

    def __init__(self) -> None:
        self.kept: list[tuple[Tensor, int, float]] = []  # gradient, version, length
        self.streak = Streak(3, release=5)

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Store the gradients that the step has used."""
        if owned is loop.main and (loop.made < 40 or loop.made % 5 == 0):
            few = [p.grad for p in smallest(owned.life.parameters, FEW)]
            dense = [g for g in few if g is not None and not g.is_sparse]
            self.kept = [
                (g, g._version, n) for g, n in zip(dense, norms(dense), strict=True) if n > 0
            ]

    def on_call(self, loop: Loop) -> None:
        """The next pass begins."""
        self._look(loop)

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """The next pass begins, of a loop that does not call the model itself."""
        self._look(loop)

    def _look(self, loop: Loop) -> None:
        if not self.kept:
            return
        written = [(g, g._version - version, n) for g, version, n in self.kept]
        self.kept = []
        # Clearing in place writes once; whoever wrote before it did so after the step.
        late = [(g, n) for g, times, n in written if times > (1 if not bool(g.any()) else 0)]
        new = self.streak.see(bool(late))
        if new:
            changed = any(abs(float(g.norm()) - n) > 1e-3 * n for g, n in late)
            loop.events.say(loop.step, _after(changed))
        elif new is False:
            loop.events.passes(AFTER, loop.step)


def _kept(factor: float, scale: float) -> float:
    """The factor of a gradient apart from a scaler's division by its scale.

    Example:
        >>> _kept(2.0**-10, 512.0), _kept(0.1, 1.0)
        (1.0, 0.1)
    """
    divided = scale > 1 and _power_of_two([factor]) and 1 / 64 < factor * scale < 64
    return 1.0 if divided else factor * scale


def _power_of_two(factors: Sequence[float]) -> bool:
    """Whether a scaler has divided by powers of two, up to the rounding of a sum."""
    powers = [math.log2(f) for f in factors]
    return max(abs(p - round(p)) for p in powers) < 1e-4


def _always(recent: Sequence[float], acted: int, strong: bool) -> Finding:
    usual = statistics.median(recent)
    return found(
        ALWAYS,
        "Gradient clipping acts at every step",
        Severity.MEDIUM if strong else Severity.LOW,
        f"In {acted} of the last {len(recent)} measured steps the gradient was clipped, "
        f"usually to {usual:.2g} times its norm. The clipping threshold determines the size "
        "of the steps.",
        "Raise the threshold to the usual norm of the gradient, or lower the learning rate "
        "instead.",
        factor=usual,
    )


def _before_unscale(factor: float, scale: float) -> Finding:
    return found(
        SCALED,
        "Gradients are clipped before the scaler divides them",
        Severity.HIGH,
        f"The loss is multiplied by {scale:g}, and the gradients are clipped before they are "
        f"divided by this scale. Steps use only {factor:.2g} times the gradient.",
        "Call scaler.unscale_(optimizer) before clipping.",
        factor=factor,
    )


def _not_unscaled(scale: float) -> Finding:
    return found(
        NOT_UNSCALED,
        "Scaled gradients are never divided by their scale",
        Severity.HIGH,
        f"The loss is multiplied by {scale:g} before the backward pass, but the gradients are "
        "not divided by this scale before the step.",
        "Call scaler.step(optimizer) instead of optimizer.step().",
    )


def _not_scaled(factor: float) -> Finding:
    return found(
        NOT_SCALED,
        "The scaler divides gradients that were never scaled",
        Severity.HIGH,
        "Between the backward pass and the step, the gradients are multiplied by "
        f"{factor:.2g}, but the loss was not scaled.",
        "Call scaler.scale(loss).backward(), or step without the scaler.",
        factor=factor,
    )


def _after(changed: bool) -> Finding:
    return found(
        AFTER,
        "Gradients are changed after the step",
        Severity.MEDIUM if changed else Severity.LOW,
        "The gradients are changed after optimizer.step(), for example by clipping. The step "
        "has already used them.",
        "Clip between the backward pass and the step.",
    )


@torch.no_grad()
def _grad_norms(parameters: Sequence[Tensor]) -> list[float]:
    return norms([p.grad for p in parameters if p.grad is not None])
