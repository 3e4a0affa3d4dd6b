r"""Slopes chosen by gradients: alpha-CROWN, and multipliers for kinks that were split.

Below :math:`\max(x,ax)` on an interval around 0 lies every line through 0 with slope between a and
1. CROWN takes one of the two ends; each choice is sound, so the best bound over all is. The bound
is concave in no useful way but has a gradient, at no more than twice the cost of the bound; slopes
climb along it and are put back between their ends, each form with slopes of its own. Where a unit
is assumed to be on one side (:math:`sy\ge0`), subtracting :math:`\beta sy` with :math:`\beta\ge0`
from what is bounded is sound too, and :math:`\beta` climbs along.

Whatever slopes and multipliers come out of this, the bound is computed from them as any other is,
with rounding paid for.

:source: Xu et al. (2021), "Fast and complete: enabling complete verification with rapid and
    massively parallel incomplete verifiers"; Wang et al. (2021), "Beta-CROWN: efficient bound
    propagation with per-neuron split constraints".
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from corollary.theory.robustness.certificates.backward import (
    ENTRIES,
    lowest,
    needed,
    some_entries,
)
from corollary.theory.robustness.certificates.clock import now
from corollary.theory.robustness.certificates.nonlinear_steps import Kinked
from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rounding import gamma
from corollary.theory.robustness.certificates.rows import Rows
from corollary.theory.robustness.certificates.steps import Forms, Step

STEPS = 20
RATE, BETA_RATE, DECAY = 0.5, 0.05, 0.98  # those of auto_LiRPA
KEEP, KEEP_SQUARE = 0.9, 0.999  # of Adam's averages


class Slopes:
    """Slopes below the kinks of a tape, and multipliers of their splits: one form per sample."""

    def __init__(
        self, steps: Sequence[Step], known: Sequence[Interval], end: int, split: bool = False
    ) -> None:
        self.steps = steps
        self.lines = {}
        self.low: dict[int, Tensor] = {}
        self.push: dict[int, Tensor] = {}
        self.side: dict[int, Tensor] = {}  # of units that were split: -1, +1, or 0
        self.crossing: dict[int, Tensor] = {}
        self.coefficients: dict[int, Tensor] = {}  # of each kink, as the last pass met them
        self.end: Forms | None = None
        for index in range(1, end + 1):
            step = steps[index - 1]
            if isinstance(step, Kinked) and step.free:
                v = known[step.inputs[0]]
                self.lines[index] = step.freed(v)
                self.crossing[index] = (v.lower < 0) & (v.upper > 0)
                self.low[index] = self.lines[index].low.clone()
                if split:
                    self.side[index] = torch.zeros_like(v.lower)
                    self.push[index] = torch.zeros_like(v.lower)

    def __contains__(self, index: int) -> bool:
        """Whether a slope may be chosen there."""
        return index in self.low

    def backward(
        self, index: int, forms: Forms, value: Interval
    ) -> tuple[list[Forms], Tensor | float]:
        """The chosen line below, the chord above; then the multiplier."""
        self.coefficients[index] = forms.a.detach()
        lines = replace(self.lines[index], low=self.low[index])
        moved, added = forms.relaxed(lines)
        if index not in self.push:
            return [moved], added
        assert isinstance(moved, Rows)
        moved = moved.with_a(moved.a - self.push[index] * self.side[index])
        rounded = gamma(2, value.lower.dtype) * value.reach
        return [moved], added - moved.sizes_against(rounded)

    def parameters(self) -> list[tuple[Tensor, float]]:
        """What climbs, and how fast."""
        low = [(t, RATE) for t in self.low.values()]
        return low + [(t, BETA_RATE) for t in self.push.values()]

    def put_back(self) -> None:
        """Slopes between their ends, fixed ones where they were, multipliers at 0 or above."""
        for index, low in self.low.items():
            step = self.steps[index - 1]
            assert isinstance(step, Kinked)
            low.copy_(torch.maximum(low, step.a.to(low)).clamp_max(1.0))
            low.copy_(torch.where(self.crossing[index], low, self.lines[index].low))
        for push in self.push.values():
            push.clamp_min_(0.0)


def climbed(
    steps: Sequence[Step],
    known: Sequence[Interval],
    start: int,
    rows: Rows,
    region: Region,
    slopes: Slopes,
    *,
    rounds: int = STEPS,
    goal: float = math.inf,
    until: float = math.inf,
) -> Tensor:
    """The best bounds seen, one form per sample; the slopes are changed in place.

    Args:
        steps: Of the tape.
        known: An interval for every value.
        start: The value that the forms are of.
        rows: One form for each sample.
        region: The inputs that are allowed.
        slopes: Where to begin.
        rounds: Steps of Adam.
        goal: It ends when all bounds are above this.
        until: It ends when the clock of proofs passes this.
    """
    best = torch.full((rows.n,), -math.inf, dtype=rows.a.dtype, device=rows.a.device)
    held = slopes.parameters()
    first = [torch.zeros_like(t) for t, _ in held]
    second = [torch.zeros_like(t) for t, _ in held]
    for k in range(1, rounds + 1):
        last = k == rounds
        with torch.set_grad_enabled(not last):
            for t, _ in held:
                t.requires_grad_(not last)
            found = lowest(steps, known, start, rows, region, choices=slopes)
        best = torch.maximum(best, found.detach())
        settled = not found.requires_grad  # no unit is left whose slope matters
        if last or settled or bool((best > goal).all()) or now() > until:
            break
        wanted = [t for t, _ in held]
        grads = torch.autograd.grad(found, wanted, torch.ones_like(found), allow_unused=True)
        with torch.no_grad():
            for i, ((t, rate), g) in enumerate(zip(held, grads, strict=True)):
                t.requires_grad_(False)
                if g is not None:
                    _adam(t, g, first[i], second[i], rate * DECAY ** (k - 1), k)
            slopes.put_back()
    for t, _ in held:
        t.requires_grad_(False)
    return best


def _adam(t: Tensor, g: Tensor, first: Tensor, second: Tensor, rate: float, k: int) -> None:
    """One step upwards, in place."""
    first.mul_(KEEP).add_(g, alpha=1 - KEEP)
    second.mul_(KEEP_SQUARE).addcmul_(g, g, value=1 - KEEP_SQUARE)
    size = (second / (1 - KEEP_SQUARE**k)).sqrt_().add_(1e-8)
    t.addcdiv_(first, size, value=rate / (1 - KEEP**k))


def sharpened(
    steps: Sequence[Step],
    known: Sequence[Interval],
    index: int,
    region: Region,
    *,
    rounds: int = STEPS // 2,
    until: float = math.inf,
) -> Interval:
    """A value's interval, cut by forms of its unsettled entries with slopes of their own.

    What is had when the clock of proofs passes ``until`` is kept.
    """
    value = known[index]
    if not any(i in Slopes(steps, known, index - 1) for i in range(index)):
        return value  # nothing to choose on the way
    owner, entry = needed(steps, value, index).flatten(1).nonzero().unbind(1)
    if len(owner) == 0:
        return value  # nothing is unsettled
    low, high = value.lower.flatten(1).clone(), value.upper.flatten(1).clone()
    width = max(v.lower[0].numel() for v in known[: index + 1])
    for part in torch.arange(len(owner)).split(max(1, ENTRIES // (8 * width))):
        if now() > until:
            break
        o, e = owner[part], entry[part]
        both = some_entries(value.lower, o, e, False)
        places = torch.cat([o, o])
        some = [v.taken(places) for v in known[:index]] + [value.taken(places)]
        rows = Rows(both.a, len(places))
        slopes = Slopes(steps, some, index)
        found = climbed(
            steps, some, index, rows, region.rows(places), slopes, rounds=rounds, until=until
        )
        least, most = found.chunk(2)
        low[o, e] = torch.maximum(low[o, e], least)
        high[o, e] = torch.minimum(high[o, e], -most)
    return value.cut(low.view_as(value.lower), high.view_as(value.lower))


def apart(
    known: Sequence[Interval], rows: Rows, region: Region, which: Tensor | None = None
) -> tuple[list[Interval], Rows, Region]:
    """Each form with a sample of its own; ``which`` of them, all if None."""
    each = len(rows.a) // rows.n
    numbers = torch.arange(len(rows.a), device=rows.a.device) if which is None else which
    owner = numbers // each
    parts = [v.taken(owner) for v in known]
    return parts, Rows(rows.a[numbers], len(numbers)), region.rows(owner)
