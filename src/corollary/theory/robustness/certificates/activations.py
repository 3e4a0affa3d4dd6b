r"""Lines below and above an entrywise function on an interval.

A function with a kink at 0, :math:`\max(x,ax)`, lies below its chord, and above the lines through 0
with slope 1 or a: the one nearer to the chord is taken (CROWN's adaptive choice). For a smooth
function any slope s gives a sound line: :math:`f(x)\le sx+\max_{[l,u]}(f-sx)`. The maximum is at an
end or where :math:`f'=s`; between the places where :math:`f''` changes sign :math:`f'` is monotone,
so these are enclosed by bisection, and what the enclosure leaves open is added.

:source: Zhang, Weng, Chen, Hsieh and Daniel (2018), "Efficient neural network robustness
    certification with general activation functions", Table 2 and Section 3.3.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.theory.robustness.certificates.rounding import FUNCTION
from corollary.theory.robustness.certificates.rows import Lines

Scalar = Callable[[Tensor], Tensor]
HALVINGS = 20
NARROW = 1e-6  # intervals relative to 1 + |x| below which a chord has no digits left


def kinked_lines(lower: Tensor, upper: Tensor, a: Tensor | float) -> Lines:
    r"""Of max(x, ax) for a <= 1 (ReLU has a = 0, the absolute value -1), of min for a > 1.

    Example:
        >>> lines = kinked_lines(torch.tensor([-1.0]), torch.tensor([3.0]), 0.0)
        >>> lines.low.item(), lines.high.item(), round(lines.high_shift.item(), 4)
        (1.0, 0.75, 0.75)
    """
    a = torch.as_tensor(a, dtype=lower.dtype, device=lower.device)
    sure = torch.where(lower >= 0, 1.0, a)
    crossing = (lower < 0) & (upper > 0)
    width = (upper - lower).clamp_min(torch.finfo(lower.dtype).tiny)
    chord = torch.where(crossing, (upper - a * lower) / width, sure)
    touch = torch.where(upper > -lower, 1.0, a)
    touch = torch.where(crossing, touch, sure)
    # any slope will do between, as long as the line is on its side of both ends
    at_ends = (a - chord) * lower, (1 - chord) * upper
    reach = torch.maximum(-lower, upper)
    rounding = 4 * torch.finfo(lower.dtype).eps * (chord.abs() + a.abs()) * reach
    above = torch.where(crossing, torch.maximum(*at_ends) + rounding, 0.0)
    if bool((a <= 1).all()):
        return Lines(touch, chord, None, above)
    below = torch.where(crossing, torch.minimum(*at_ends) - rounding, 0.0)
    convex, zero = a <= 1, torch.zeros_like(above)
    return Lines(
        torch.where(convex, touch, chord), torch.where(convex, chord, touch),
        torch.where(convex, zero, below), torch.where(convex, above, zero),
    )  # fmt: skip


def clipped_lines(lower: Tensor, upper: Tensor, least: float, most: float) -> Lines:
    """Of clamp(x, least, most): chords past a corner, or the line through it that is nearer.

    Example:
        >>> lines = clipped_lines(torch.tensor([-1.0]), torch.tensor([2.0]), 0.0, 1.0)
        >>> lines.high.item(), round(lines.high_shift.item(), 4), lines.low.item()
        (0.5, 0.5, 0.5)
    """
    at_low, at_high = lower.clamp(least, most), upper.clamp(least, most)
    tiny = torch.finfo(lower.dtype).tiny
    below, above = lower < least, upper > most
    # above: from (lower, f) to the upper corner, or to (upper, f); past one corner only: the nearer
    end = torch.minimum(upper, torch.full_like(upper, most))
    rise = (end.clamp_min(least) - at_low) / (end - lower).clamp_min(tiny)
    nearer = (upper - most < most - lower).to(lower)
    high = torch.where(below, rise, torch.where(above, nearer, 1.0))
    start = torch.maximum(lower, torch.full_like(lower, least))
    fall = (at_high - start.clamp_max(most)) / (upper - start).clamp_min(tiny)
    nearer = (upper - least > least - lower).to(lower)
    low = torch.where(above, fall, torch.where(below, nearer, 1.0))
    flat = (upper <= least) | (lower >= most)
    high, low = high.masked_fill(flat, 0.0), low.masked_fill(flat, 0.0)
    corners = [lower, upper, torch.full_like(lower, least).clamp(lower, upper),
               torch.full_like(lower, most).clamp(lower, upper)]  # fmt: skip
    gaps = [[c.clamp(least, most) - s * c for c in corners] for s in (low, high)]
    size = torch.maximum(at_low.abs(), at_high.abs()) + torch.maximum(lower.abs(), upper.abs())
    rounding = 4 * torch.finfo(lower.dtype).eps * size  # slopes are at most 1
    return Lines(
        low, high, torch.stack(gaps[0]).amin(0) - rounding, torch.stack(gaps[1]).amax(0) + rounding
    )  # a piecewise linear function less a line is extreme at a corner


@dataclass(frozen=True)
class Smooth:
    """A function, its derivative, and where its curvature changes sign (+ or - between them)."""

    value: Scalar
    slope: Scalar
    bends: tuple[float, ...]
    curvature: tuple[int, ...]  # one more than bends
    rising: bool = True
    slack: float = 0.0  # how far torch's own function may be off

    def ends(self, lower: Tensor, upper: Tensor) -> tuple[Tensor, Tensor]:
        """The range on intervals."""
        a, b = self.value(lower), self.value(upper)
        if self.rising:
            return self._outwards(a, -1), self._outwards(b, +1)
        flat = torch.zeros_like(lower)
        return self.extreme(flat, lower, upper, -1), self.extreme(flat, lower, upper, +1)

    def lines(self, lower: Tensor, upper: Tensor) -> Lines:
        """A line below and one above."""
        width = upper - lower
        narrow = width <= NARROW * (1 + torch.maximum(lower.abs(), upper.abs()))
        chord = (self.value(upper) - self.value(lower)) / width.masked_fill(narrow, 1.0)
        tangent = self.slope((lower + upper) / 2)
        chord = torch.where(narrow, tangent, chord)
        low = high = chord
        for k, sign in enumerate(self.curvature):
            a, b = self._piece(k)
            inside = (lower >= a) & (upper <= b)
            low = torch.where(inside, tangent if sign > 0 else chord, low)
            high = torch.where(inside, chord if sign > 0 else tangent, high)
        if self.curvature == (1, -1) and self.rising:
            low, high = self._s_shaped(lower, upper, low, high)
        return Lines(
            low, high, self.extreme(low, lower, upper, -1), self.extreme(high, lower, upper, +1)
        )

    def extreme(self, slope: Tensor, lower: Tensor, upper: Tensor, sign: int) -> Tensor:
        """The largest (sign +1) or smallest (-1) value of f(x) - slope x, moved outwards."""

        def gap(x: Tensor) -> Tensor:
            return sign * (self.value(x) - slope * x)

        best = torch.maximum(gap(lower), gap(upper))
        for k, bend in enumerate(self.curvature):
            # the part of the interval in this piece; where there is none, an end of the interval
            a, b = (e.clamp(*self._piece(k)).clamp(lower, upper) for e in (lower, upper))
            for _ in range(HALVINGS):
                middle = (a + b) / 2
                right = (self.slope(middle) < slope) == (bend > 0)
                a, b = torch.where(right, middle, a), torch.where(right, b, middle)
            steepest = torch.maximum((self.slope(a) - slope).abs(), (self.slope(b) - slope).abs())
            best = torch.maximum(best, torch.maximum(gap(a), gap(b)) + steepest * (b - a))
        reach = torch.maximum(lower.abs(), upper.abs())
        # a function that falls and rises is a product with x, computed to the digits of x
        size = best.abs() + (slope.abs() + (0 if self.rising else 1)) * reach
        return sign * (best + _ulps(size) + self.slack)

    def _piece(self, k: int) -> tuple[float, float]:
        ends = (-math.inf, *self.bends, math.inf)
        return ends[k], ends[k + 1]

    def _outwards(self, value: Tensor, sign: int) -> Tensor:
        return value + sign * (_ulps(value.abs()) + self.slack)

    def _s_shaped(
        self, lower: Tensor, upper: Tensor, low: Tensor, high: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Slopes of the tangents through the ends, where the interval holds the bend."""
        bend = torch.full_like(lower, self.bends[0])
        across = (lower < bend) & (upper > bend)
        for end, far, is_high in ((lower, upper, True), (upper, lower, False)):
            a, b = bend, far
            for _ in range(HALVINGS):
                d = (a + b) / 2
                line = self.value(d) + self.slope(d) * (end - d)  # the tangent at d, at the end
                beyond = (line < self.value(end)) if is_high else (line > self.value(end))
                a, b = torch.where(beyond, d, a), torch.where(beyond, b, d)
            tangent = self.slope(b)
            if is_high:
                high = torch.where(across, tangent, high)
            else:
                low = torch.where(across, tangent, low)
        # no tangent touches within the interval: b stayed at its end, and the chord is better
        chord = (self.value(upper) - self.value(lower)) / (upper - lower).clamp_min(NARROW)
        high = torch.where(across & (self.slope(upper) > chord), chord, high)
        low = torch.where(across & (self.slope(lower) > chord), chord, low)
        return low, high


def _ulps(size: Tensor) -> Tensor:
    return FUNCTION * torch.finfo(size.dtype).eps * size


def _normal_density(x: Tensor) -> Tensor:
    return torch.exp(-x.square() / 2) / math.sqrt(2 * math.pi)


def _gelu_slope(x: Tensor) -> Tensor:
    return torch.special.ndtr(x) + x * _normal_density(x)


def _tanh_gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


def _tanh_gelu_slope(x: Tensor) -> Tensor:
    c = math.sqrt(2 / math.pi)
    t = torch.tanh(c * (x + 0.044715 * x**3))
    return (1 + t) / 2 + x * (1 - t**2) / 2 * c * (1 + 3 * 0.044715 * x.square())


def _silu_slope(x: Tensor) -> Tensor:
    s = torch.sigmoid(x)
    return s + x * s * (1 - s)


def _sigmoid_slope(x: Tensor) -> Tensor:
    s = torch.sigmoid(x)
    return s * (1 - s)


_SILU = 2.3993572805154675  # where the second derivative of SiLU vanishes
SMOOTH: dict[str, Smooth] = {
    "sigmoid": Smooth(torch.sigmoid, _sigmoid_slope, (0.0,), (1, -1)),
    "tanh": Smooth(torch.tanh, lambda x: 1 - x.tanh().square(), (0.0,), (1, -1)),
    "erf": Smooth(torch.erf, lambda x: 2 / math.sqrt(math.pi) * torch.exp(-x.square()),
                  (0.0,), (1, -1)),
    "gelu": Smooth(F.gelu, _gelu_slope, (-math.sqrt(2), math.sqrt(2)), (-1, 1, -1), False),
    "silu": Smooth(F.silu, _silu_slope, (-_SILU, _SILU), (-1, 1, -1), False),
    "exp": Smooth(torch.exp, torch.exp, (), (1,)),
    "softplus": Smooth(F.softplus, torch.sigmoid, (), (1,)),  # with its options: see below
    "elu": Smooth(F.elu, lambda x: x.clamp_max(0).exp(), (), (1,)),
    "log_sigmoid": Smooth(F.logsigmoid, lambda x: torch.sigmoid(-x), (), (-1,)),
}  # fmt: skip
_BEND = 1.4185040087908283  # where the second derivative of the tanh form of GELU vanishes
tanh_gelu = Smooth(_tanh_gelu, _tanh_gelu_slope, (-_BEND, _BEND), (-1, 1, -1), False)


def softplus(beta: float, threshold: float = 20.0) -> Smooth:
    """log(1 + exp(beta x)) / beta, which torch replaces by x beyond the threshold.

    Example:
        >>> round(softplus(1.0).slope(torch.zeros(())).item(), 3)
        0.5
    """

    def value(x: Tensor) -> Tensor:
        return torch.logaddexp(torch.zeros_like(x), beta * x) / beta

    slack = math.exp(-threshold) / beta
    return Smooth(value, lambda x: torch.sigmoid(beta * x), (), (1,), slack=slack)


def elu(alpha: float) -> Smooth:
    """X above 0 and alpha (exp x - 1) below, convex for alpha <= 1.

    Example:
        >>> elu(0.5).slope(torch.tensor([-0.0, 1.0])).tolist()
        [0.5, 1.0]
    """

    def slope(x: Tensor) -> Tensor:
        return torch.where(x > 0, torch.ones_like(x), alpha * x.clamp_max(0).exp())

    return Smooth(lambda x: F.elu(x, alpha), slope, (), (1,))
