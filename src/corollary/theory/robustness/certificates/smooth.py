r"""Lines below and above an entrywise function that is convex or concave between known places.

Any slope s gives a sound line: :math:`f(x)\le sx+\max_{[l,u]}(f-sx)`. The maximum is at an end, at
one of the places, or inside of a concave piece where :math:`f'=s`; :math:`f'` falls there, so this
point is enclosed by bisection, and what the enclosure leaves open is added.

Of all lines above f the one with the least mean distance touches the concave envelope of f in the
middle m of the interval, because the mean of a line is its value at m. The envelope there is f
itself or the highest chord over m, so two slopes are tried: that of f at m, and that of the highest
chord between some points left and right of m. As every slope is sound, few points cost tightness
alone, of second order in their distance. Lines below are lines above :math:`-f`.

:source: Zhang, Weng, Chen, Hsieh and Daniel (2018), "Efficient neural network robustness
    certification with general activation functions", Section 3.3, for lines with any slope; Boyd
    and Vandenberghe (2004), "Convex optimization", Section 3.3, for envelopes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from corollary.theory.robustness.certificates.rounding import FUNCTION
from corollary.theory.robustness.certificates.rows import Lines

Scalar = Callable[[Tensor], Tensor]
HALVINGS = 20
NARROW = 1e-6  # intervals relative to 1 + |x| below which a chord has no digits left
POINTS = 8  # on each side of the middle, between which chords are tried
PIECE = 1 << 15  # intervals whose chords are tried together
FAR = 60.0  # where functions have reached their last slope


@dataclass(frozen=True)
class Smooth:
    """A function, its derivative, and where its curvature changes sign (+ or - between them).

    A function with corners, which are such places too, has one derivative for each piece.
    """

    value: Scalar
    slopes: Scalar | tuple[Scalar, ...]
    bends: tuple[float, ...]
    curvature: tuple[int, ...]  # one more than bends
    rising: bool = True  # and computed to its last digits, not to those of x
    slack: float = 0.0  # how far torch's own function may be off

    def slope(self, x: Tensor) -> Tensor:
        """The derivative, at a corner the one from the left."""
        found = self._slope_on(0)(x)
        if isinstance(self.slopes, tuple):
            for bend, after in zip(self.bends, self.slopes[1:], strict=True):
                found = torch.where(x > bend, after(x), found)
        return found

    def steepest(self) -> float:
        """The largest size of the slope: at an end of a piece, or far out.

        Example:
            >>> relu = Smooth(torch.relu, (torch.zeros_like, torch.ones_like), (0.0,), (1, 1))
            >>> round(relu.steepest(), 6)
            1.0
        """
        ends = torch.tensor([-FAR, *self.bends, FAR], dtype=torch.float64)
        pieces = range(len(self.curvature))
        return max(float(self._slope_on(k)(ends[k : k + 2]).abs().max()) for k in pieces) * (
            1 + 1e-9
        )

    def ends(self, lower: Tensor, upper: Tensor) -> tuple[Tensor, Tensor]:
        """The range on intervals."""
        if not self.rising:
            flat = torch.zeros_like(lower)
            return self.extreme(flat, lower, upper, -1), self.extreme(flat, lower, upper, +1)
        a, b = self.value(lower), self.value(upper)
        return a - ulps(a) - self.slack, b + ulps(b) + self.slack

    def lines(self, lower: Tensor, upper: Tensor) -> Lines:
        """A line below and one above."""
        (low, low_shift), (high, high_shift) = (self.line(lower, upper, s) for s in (-1, +1))
        return Lines(low, high, low_shift, high_shift)

    def line(self, lower: Tensor, upper: Tensor, sign: int) -> tuple[Tensor, Tensor]:
        """Slope and shift of a line above (sign +1) or below (-1), near in the middle."""
        m = (lower + upper) / 2
        touch, chord = self.slope(m), self._chord(lower, upper, sign)
        shifts = [self.extreme(s, lower, upper, sign) for s in (touch, chord)]
        nearer = sign * ((chord - touch) * m + shifts[1] - shifts[0]) < 0
        return torch.where(nearer, chord, touch), torch.where(nearer, shifts[1], shifts[0])

    def extreme(self, slope: Tensor, lower: Tensor, upper: Tensor, sign: int) -> Tensor:
        """The largest (sign +1) or smallest (-1) value of f(x) - slope x, moved outwards."""

        def gap(x: Tensor) -> Tensor:
            return sign * (self.value(x) - slope * x)

        bends = [torch.full_like(lower, bend).clamp(lower, upper) for bend in self.bends]
        places = [lower, *bends, upper]
        best = torch.stack([gap(x) for x in places]).amax(0)
        for k, bend in enumerate(self.curvature):
            if sign * bend < 0:  # else the gap is convex, and largest at an end of the piece
                inside = self._top(gap, slope, k, places[k], places[k + 1], sign)
                best = torch.maximum(best, inside)
        reach = torch.maximum(lower.abs(), upper.abs())
        # a function that falls and rises is a product with x, computed to the digits of x
        size = best.abs() + (slope.abs() + (0 if self.rising else 1)) * reach
        return sign * (best + ulps(size) + self.slack)

    def _top(self, gap: Scalar, slope: Tensor, k: int, a: Tensor, b: Tensor, sign: int) -> Tensor:
        """A bound on a concave gap on piece k, by tangents from both sides of its top."""

        def rise(x: Tensor) -> Tensor:
            return sign * (self._slope_on(k)(x) - slope)

        for _ in range(HALVINGS):
            middle = (a + b) / 2
            right = rise(middle) > 0
            a, b = torch.where(right, middle, a), torch.where(right, b, middle)
        from_left = gap(a) + rise(a).clamp_min(0) * (b - a)
        from_right = gap(b) - rise(b).clamp_max(0) * (b - a)
        return torch.minimum(from_left, from_right)

    def _chord(self, lower: Tensor, upper: Tensor, sign: int) -> Tensor:
        """The slope of the highest (sign +1) or lowest (-1) chord over the middle."""
        some = zip(lower.flatten().split(PIECE), upper.flatten().split(PIECE), strict=True)
        return torch.cat([self._chord_of(a, b, sign) for a, b in some]).view_as(lower)

    def _chord_of(self, lower: Tensor, upper: Tensor, sign: int) -> Tensor:
        m = (lower + upper) / 2
        slope = self.slope(m)  # where no chord has digits
        wide = upper - lower > NARROW * (1 + torch.maximum(lower.abs(), upper.abs()))
        left, right = self._points(lower, m), self._points(upper, m)
        f_right = sign * self.value(right)
        best = torch.full_like(m, -math.inf)
        for x in left:  # for each of them the steepest chord is the highest
            f = sign * self.value(x)
            steep = ((f_right - f) / (right - x)).amax(0)
            height = f + steep * (m - x)
            higher = wide & (height > best)
            best = torch.where(higher, height, best)
            slope = torch.where(higher, sign * steep, slope)
        return slope

    def _points(self, end: Tensor, m: Tensor) -> Tensor:
        """Points from an end up to the middle, which is left out, and the bends between."""
        even = [m + (end - m) * (j / POINTS) for j in range(POINTS, 0, -1)]
        bends = [torch.full_like(m, bend) for bend in self.bends]
        return torch.stack([*even, *(torch.where((b - m) * (b - end) < 0, b, end) for b in bends)])

    def _slope_on(self, k: int) -> Scalar:
        return self.slopes[k] if isinstance(self.slopes, tuple) else self.slopes


def ulps(size: Tensor) -> Tensor:
    """What is paid for the rounding of a function of this size."""
    return FUNCTION * torch.finfo(size.dtype).eps * size.abs()
