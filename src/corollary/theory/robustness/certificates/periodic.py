r"""Lines below and above sine and cosine.

An interval shorter than two periods :math:`2\pi` is moved by a multiple of them so that its middle
lies in :math:`[-\pi,\pi]`: then it is part of :math:`[-3\pi,3\pi]`, where the function bends at
few places. A longer one has a largest and a least value on both sides of its middle, so the best
lines are 1 and -1. The move is rounded, and the interval grows by as much.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from corollary.theory.robustness.certificates.rows import Lines
from corollary.theory.robustness.certificates.smooth import Smooth, ulps

PERIOD = 2 * math.pi


@dataclass(frozen=True)
class Periodic:
    """A function of period 2 pi and size up to 1."""

    near: Smooth  # the same on three periods around 0

    def steepest(self) -> float:
        """The largest size of the slope."""
        return self.near.steepest()

    def ends(self, lower: Tensor, upper: Tensor) -> tuple[Tensor, Tensor]:
        """The range on intervals."""
        a, b, _, long = _moved(lower, upper)
        least, most = self.near.ends(a, b)
        one = torch.ones_like(least) + ulps(torch.ones_like(least))
        return torch.where(long, -one, least), torch.where(long, one, most)

    def lines(self, lower: Tensor, upper: Tensor) -> Lines:
        """A line below and one above."""
        a, b, move, long = _moved(lower, upper)
        found = []
        for sign in (-1, +1):
            slope, shift = self.near.line(a, b, sign)
            # slope (x - move) + shift, with the move, the product and the sum rounded
            rounding = ulps(slope * move) + ulps(shift)
            shift = shift - slope * move + sign * torch.where(move == 0, 0.0, rounding)
            one = sign * (torch.ones_like(shift) + ulps(torch.ones_like(shift)))
            found += [slope.masked_fill(long, 0.0), torch.where(long, one, shift)]
        return Lines(found[0], found[2], found[1], found[3])


def _moved(lower: Tensor, upper: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Intervals by the origin, by how much they were moved, and which are too long for it."""
    move = PERIOD * torch.round((lower / 2 + upper / 2) / PERIOD)
    room = torch.where(move == 0, 0.0, ulps(torch.maximum(lower.abs(), upper.abs())))
    a, b = lower - move - room, upper - move + room
    long = ~(b - a < 2 * PERIOD)
    most = 1.5 * PERIOD
    return a.clamp(-most, most), b.clamp(-most, most), move, long


def _bends(first: float, count: int) -> tuple[float, ...]:
    return tuple((first + k) * math.pi for k in range(count))


sine = Periodic(Smooth(torch.sin, torch.cos, _bends(-2.0, 5), (1, -1, 1, -1, 1, -1), False))
cosine = Periodic(
    Smooth(torch.cos, lambda x: -torch.sin(x), _bends(-2.5, 6), (1, -1, 1, -1, 1, -1, 1), False)
)
