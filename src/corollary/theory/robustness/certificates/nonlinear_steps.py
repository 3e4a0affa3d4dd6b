"""Steps that bend: entrywise functions, pools of maxima, and what only intervals pass."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.theory.robustness.certificates.activations import kinked_lines
from corollary.theory.robustness.certificates.periodic import Periodic
from corollary.theory.robustness.certificates.region import Interval
from corollary.theory.robustness.certificates.rounding import FUNCTION, gamma, outwards
from corollary.theory.robustness.certificates.rows import Lines, Rows
from corollary.theory.robustness.certificates.smooth import Smooth
from corollary.theory.robustness.certificates.steps import Forms, Step
from corollary.theory.robustness.certificates.tape import Call


class Entrywise(Step):
    """A rising function of each entry with known lines."""

    affine = False
    pays = True

    def __init__(self, call: Call, lines: Callable[[Tensor, Tensor], Lines]) -> None:
        super().__init__(call)
        self.lines = lines
        self._last: tuple[Interval, Lines] | None = None  # many passes ask for the same

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Its values at the ends."""
        (v,) = values
        return Interval(self.call(v.lower), self.call(v.upper))

    def backward(self, forms: Forms, values: Sequence[Interval]) -> tuple[list[Forms], Tensor]:
        """The line below for positive coefficients, the one above for negative ones."""
        (v,) = values
        if self._last is None or self._last[0] is not v:
            lines = self.lines(v.lower, v.upper)
            self._last = (v, lines.widened(v) if self.rounded else lines)
        moved, added = forms.relaxed(self._last[1])
        return [moved], added

    def settled(self, value: Interval) -> Tensor | None:
        """Where a better interval of the input would change nothing; None if nowhere."""
        return (value.lower >= 0) | (value.upper <= 0)


class Kinked(Entrywise):
    """Max(x, ax), which need not rise."""

    def __init__(self, call: Call, a: Tensor | float) -> None:
        super().__init__(call, partial(kinked_lines, a=a))
        self.a = torch.as_tensor(a)

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Its values at the ends and at the kink."""
        (v,) = values
        if self.call.op == "relu":  # exact
            return Interval(v.lower.clamp_min(0.0), v.upper.clamp_min(0.0), positive=True)
        low, high = self.call(v.lower), self.call(v.upper)
        at_zero = self.call(torch.zeros_like(v.lower[:1]))
        inside = (v.lower < 0) & (v.upper > 0)
        least, most = torch.minimum(low, high), torch.maximum(low, high)
        return Interval(
            *outwards(
                torch.where(inside, torch.minimum(least, at_zero), least),
                torch.where(inside, torch.maximum(most, at_zero), most),
                gamma(4, least.dtype),
            )
        )

    @property
    def free(self) -> bool:
        """Whether any slope between those of both sides gives a line below: max(x, ax), a <= 1."""
        return bool((self.a <= 1).all())

    def freed(self, v: Interval) -> Lines:
        """Lines whose slope below may be chosen, at kinks inside of the interval."""
        lines = self.lines(v.lower, v.upper)
        least = self.a.abs().to(v.lower)
        steepest = torch.where(v.lower < 0, lines.low.abs().clamp_min(least), 1.0)
        crossing = (v.lower < 0) & (v.upper > 0)
        pays = replace(lines, low=torch.where(crossing, steepest.clamp_min(1.0), lines.low))
        return replace(pays.widened(v), low=lines.low)


class Curved(Entrywise):
    """A function that bends at known places."""

    def __init__(self, call: Call, curve: Smooth | Periodic) -> None:
        super().__init__(call, curve.lines)
        self.curve = curve

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Its range."""
        return Interval(*self.curve.ends(values[0].lower, values[0].upper))

    def settled(self, value: Interval) -> Tensor | None:
        """Nowhere: a narrower interval always gives better lines."""
        return None


class Clipped(Entrywise):
    """Values clamped to an interval, whose ends are rounded to the number type."""

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Its values at the ends."""
        low, high = (self.call(end) for end in (values[0].lower, values[0].upper))
        return Interval(*outwards(low, high, gamma(4, low.dtype)))

    def settled(self, value: Interval) -> Tensor | None:
        """Nowhere that is known."""
        return None


class MaxPool(Step):
    """The largest entry of each window of an image or a sequence.

    From below the entry with the largest lower end stands for all; from above it does where no
    other can exceed it, and the largest upper end does elsewhere.
    """

    affine = False

    def __init__(self, call: Call, options: dict[str, Any]) -> None:
        super().__init__(call)
        self.options = options
        self.axes = len(call.shape) - 1

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """The pools of the ends."""
        (v,) = values
        low, high = self.call(v.lower), self.call(v.upper)
        many = math.prod(self.options["kernel_size"]) + 8  # overlapping windows add up
        return Interval(low, high, debt=lambda: gamma(many, low.dtype) * self.call(v.reach))

    def backward(self, forms: Forms, values: Sequence[Interval]) -> tuple[list[Forms], Tensor]:
        """Coefficients go to one entry of each window."""
        (v,) = values
        rows = forms.dense()
        pool = F.max_pool2d if self.axes == 2 else F.max_pool1d
        largest, place = pool(v.lower, return_indices=True, **self.options)
        most = self.call(v.upper)
        alone = self._alone(v, place, largest)
        lines = Lines(
            torch.ones_like(most),
            alone.to(most),
            None,
            torch.where(alone, torch.zeros_like(most), most),
        )
        moved, added = rows.relaxed(lines.widened(Interval(largest, most)))
        shape = v.lower.shape[1:]
        target = moved.a.new_zeros(len(moved.a), shape[0], shape[1:].numel())
        target.scatter_add_(2, moved.spread(place.flatten(2)), moved.a.flatten(2))
        return [moved.with_a(target.view(-1, *shape))], added

    def _alone(self, v: Interval, place: Tensor, largest: Tensor) -> Tensor:
        """Whether no other entry of the window can exceed the chosen one."""
        if self.options["ceil_mode"] or self.axes != 2:
            return torch.zeros_like(place, dtype=torch.bool)
        (ph, pw), (h, w) = _pair(self.options["padding"]), v.lower.shape[-2:]
        padded = F.pad(v.upper, (pw, pw, ph, ph), value=-torch.inf)
        number = torch.arange(h * w, device=place.device).view(1, 1, h, w).to(v.upper)
        number = F.pad(number, (pw, pw, ph, ph), value=-1.0)
        seen, numbers = (self._windows(t) for t in (padded, number.expand_as(padded)))
        others = seen.masked_fill(numbers == place.flatten(2)[:, :, None].to(numbers), -torch.inf)
        return (others.amax(2) <= largest.flatten(2)).view_as(place)

    def _windows(self, padded: Tensor) -> Tensor:
        """(n, channels, entries of a window, windows)."""
        n, c, h, w = padded.shape
        k, d = _pair(self.options["kernel_size"]), _pair(self.options["dilation"])
        s = _pair(self.options["stride"])
        # unfold multiplies by zero nowhere, so infinities pass
        found = F.unfold(padded.reshape(n * c, 1, h, w), k, d, 0, s)
        return found.view(n, c, k[0] * k[1], -1)


class Rising(Step):
    """Anything that never falls in any of its inputs; forms end here."""

    affine = False

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Its values at the lower ends, and at the upper ends."""
        low = self.call(*[v.lower for v in values])
        high = self.call(*[v.upper for v in values])
        return Interval(*outwards(low, high, gamma(FUNCTION, low.dtype)))


class Product(Step):
    """Two inputs entry by entry; forms end here."""

    affine = False

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """The extremes of four products."""
        a, b = values if len(values) == 2 else (values[0], values[0])
        ends = [p * q for p in (a.lower, a.upper) for q in (b.lower, b.upper)]
        found = torch.stack(torch.broadcast_tensors(*ends))
        return Interval(*outwards(found.amin(0), found.amax(0), gamma(4, found.dtype)))


class Softmax(Step):
    """Softmax over one axis; forms end here."""

    affine = False

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Each entry is least when it is and all others are most."""
        (v,) = values
        axis = self.call.option(1, "dim", -1)
        top = v.upper.amax(axis, keepdim=True)
        low, high = (v.lower - top).exp(), (v.upper - top).exp()
        rest_low = (low.sum(axis, keepdim=True) - low).clamp_min(0)
        rest_high = (high.sum(axis, keepdim=True) - high).clamp_min(0)
        # sums and functions are rounded; differences of ends are, before they become exponents
        many = 4 * v.lower.shape[axis] + 4 * FUNCTION
        g = gamma(many, low.dtype) + gamma(8, low.dtype) * v.reach.amax(axis, keepdim=True)
        return Interval(
            low / (low + rest_high) * (1 - g).clamp_min(0),
            ((high / (high + rest_low)).nan_to_num(1.0) * (1 + g)).clamp_max(1 + g),
        )


class LogSoftmax(Step):
    """Log-softmax over one axis: differences of its entries are those of its input."""

    affine = False

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """By the sum of exponentials at its ends."""
        (v,) = values
        axis = self.call.option(1, "dim", -1)
        low = v.lower - v.upper.logsumexp(axis, keepdim=True)
        high = (v.upper - v.lower.logsumexp(axis, keepdim=True)).clamp_max(0.0)
        k, size = v.lower.shape[axis], v.reach.amax(axis, keepdim=True)
        slack = gamma(4 * k + 4 * FUNCTION, low.dtype) * (1 + math.log(k) + size)
        owed = gamma(2 * FUNCTION, low.dtype) * (math.log(k) + size)  # the common part cancels
        return Interval(low - slack, high + slack, debt=lambda: owed)

    def backward(
        self, forms: Forms, values: Sequence[Interval]
    ) -> tuple[list[Forms], Tensor | float] | None:
        """Forms whose coefficients add up to zero pass as they are."""
        axis = self.call.option(1, "dim", -1)
        rows: Rows = forms.dense()
        total = rows.a.sum(axis).abs().amax()
        return ([rows], 0.0) if bool(total == 0) else None


class LayerNorm(Step):
    """Entries less their mean, over their standard deviation; forms end here.

    An entry of k normalised ones is at most the root of k - 1 in size, whatever the interval. The
    network's variance is taken to be as accurate as by Welford's updates, which torch uses.
    """

    affine = False

    def __init__(
        self, call: Call, axes: int, weight: Tensor | None, bias: Tensor | None, tiny: float
    ) -> None:
        super().__init__(call)
        self.axes, self.weight, self.bias, self.tiny = axes, weight, bias, tiny

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Bounds of the centred entries over bounds of the deviation."""
        (v,) = values
        axes = tuple(range(-self.axes, 0))
        k = v.lower[0][(0,) * (v.lower.dim() - 1 - self.axes)].numel()
        size = v.reach.amax(axes, keepdim=True)
        g = gamma(4 * k + 4 * FUNCTION, size.dtype)
        middle = v.middle - v.middle.mean(axes, keepdim=True)
        total = v.radius.sum(axes, keepdim=True)
        # of x_i (1 - 1/k) less the others over k
        radius = v.radius * (1 - 2 / k) + total / k + g * size
        low, high = middle - radius, middle + radius
        far = torch.maximum(low.abs(), high.abs())
        near = torch.where((low < 0) & (high > 0), 0.0, torch.minimum(low.abs(), high.abs()))
        tiny = max(self.tiny, torch.finfo(size.dtype).tiny)
        # a variance updated as by Welford is off by g times v + |x| sqrt(v), which is at most:
        off = g + g * size / (2 * tiny**0.5)
        most = ((far.square().mean(axes, keepdim=True) + tiny) * (1 + off)).sqrt()
        kept = (1 - off).clamp_min(tiny)
        least = ((near.square().mean(axes, keepdim=True) + tiny) * kept).sqrt()
        cap = ((k - 1) ** 0.5 + g * size / tiny**0.5) / kept.sqrt()
        ends = torch.stack([low / least, low / most, high / least, high / most])
        ends = torch.maximum(torch.minimum(ends, cap), -cap)
        scale = 1.0 if self.weight is None else self.weight
        shift = 0.0 if self.bias is None else self.bias
        a, b = torch.minimum(ends[0], ends[1]) * scale, torch.maximum(ends[2], ends[3]) * scale
        low, high = torch.minimum(a, b), torch.maximum(a, b)
        slack = g * (torch.maximum(low.abs(), high.abs()) + torch.as_tensor(shift).abs())
        return Interval(low + shift - slack, high + shift + slack)


def _pair(value: Any) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    entries = tuple(value)
    return (entries[0], entries[-1])
