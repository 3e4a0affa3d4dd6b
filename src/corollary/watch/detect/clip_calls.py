"""The arguments of ``clip_grad_norm_``."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.event import Streak
from corollary.watch.state import Loop, Owned

NOTHING = "clip/nothing"
EARLY = "clip/before_backward"
PART = "clip/part"
LEAST = 0.5  # share of the weights below which clipping misses most of the gradient


class ClipCalls(Detector):
    """Clipping of no parameters, before gradients exist, or of only some parameters."""

    def __init__(self) -> None:
        self.streaks = {cause: Streak(3, release=10) for cause in (NOTHING, EARLY, PART)}
        self.calls: list[tuple[set[int], bool]] = []  # since the step: what, and whether in vain

    def on_clip(self, loop: Loop, parameters: Sequence[Tensor], most: float, norm: Any) -> None:
        """Record whether there was a gradient to clip."""
        known = not isinstance(norm, Tensor) or norm.device.type == "cpu"
        empty = all(p.grad is None for p in parameters) or (known and float(norm) == 0)
        self.calls.append(({id(p) for p in parameters}, empty))

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Compare with the parameters that the step has used."""
        used = [p for p in owned.parameters if p.grad is not None]
        if not self.calls or not used:
            return
        clipped = {key for keys, _ in self.calls for key in keys}
        ours = not clipped or any(id(p) in clipped for p in used)
        if not ours:
            return  # the clipping of another optimizer's gradients
        early = bool(clipped) and all(empty for _, empty in self.calls)
        self.calls = []
        size = sum(p.numel() for p in used)
        share = sum(p.numel() for p in used if id(p) in clipped) / size
        alive = early and any(bool(p.grad.any()) for p in used if p.grad is not None)
        self._see(loop, NOTHING, not clipped, _nothing())
        self._see(loop, EARLY, alive, _early())
        self._see(loop, PART, 0 < share < LEAST and not early, _part(share))

    def _see(self, loop: Loop, cause: str, holds: bool, finding: Finding) -> None:
        new = self.streaks[cause].see(holds)
        if new:
            loop.events.say(loop.step, finding)
        elif new is False:
            loop.events.passes(cause, loop.step)


def _nothing() -> Finding:
    return found(
        NOTHING,
        "Gradient clipping receives no parameters",
        Severity.MEDIUM,
        "clip_grad_norm_ is called with an empty list, or with an iterator that the "
        "optimizer has already used up. No gradient is clipped.",
        "Call model.parameters() again for each call of clip_grad_norm_, or pass a list.",
    )


def _early() -> Finding:
    return found(
        EARLY,
        "Gradients are clipped before the backward pass",
        Severity.MEDIUM,
        "When clip_grad_norm_ is called, the gradients are None or zero. The backward pass "
        "comes later, so the step uses gradients that were never clipped.",
        "Clip between loss.backward() and optimizer.step().",
    )


def _part(share: float) -> Finding:
    return found(
        PART,
        "Gradient clipping covers only some of the parameters",
        Severity.LOW,
        f"clip_grad_norm_ receives {share:.0%} of the weights that the step updates. The "
        "other gradients are not clipped.",
        "Pass all parameters of the optimizer in one call.",
        share=share,
    )
