r"""Piecewise-linear functions of one variable, with their breakpoints kept exactly.

The calculus behind the counting of pieces: with :math:`\delta_A(f)` the least number of intervals
on which f is affine,

.. math:: \delta_A(\mathrm{relu}\circ f) \le 2\,\delta_A(f), \qquad
          \delta_A\Big(\sum_{k\le K} a_k f_k + b_k\Big) \le \sum_k \delta_A(f_k) - (K - 1) .

:source: Lucchi (2025), Foundations of Deep Learning, Proposition 31 and Section 4.4, Problem 3a.
:covers: affine-pieces-calculus
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least, check_finite

EQUAL = 1e-12  # a breakpoint closer to its chord than this share of the values is none


@dataclass(frozen=True)
class PiecewiseLinear:
    """Continuous on the line: linear between the knots, with two slopes outside.

    Example:
        >>> f = PiecewiseLinear(torch.tensor([0.0]).double(), torch.tensor([-1.0]).double(), -1, 1)
        >>> f.pieces, f.relu().pieces, f(torch.tensor([3.0]).double()).item()  # |x| - 1
        (2, 3, 2.0)
    """

    knots: Float[Tensor, " b"]  # at least one, ascending
    values: Float[Tensor, " b"]  # at the knots
    left: float | int  # slope before the first knot
    right: float | int  # slope after the last knot

    def __post_init__(self) -> None:
        if len(self.knots) == 0 or not bool((self.knots.diff() > 0).all()):
            raise InputError(f"expected one or more ascending knots, got {self.knots}")

    def __call__(self, x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
        """Values at points."""
        knots, values, _ = self._extended()
        i = torch.searchsorted(self.knots, x).clamp(0, len(self.knots))
        t = (x - knots[i]) / (knots[i + 1] - knots[i])
        inside = values[i] + t * (values[i + 1] - values[i])
        before = self.values[0] + self.left * (x - self.knots[0])
        after = self.values[-1] + self.right * (x - self.knots[-1])
        inside = torch.where(x <= self.knots[0], before, inside)
        return torch.where(x >= self.knots[-1], after, inside)

    @property
    def pieces(self) -> int:
        r"""The number :math:`\delta_A` of maximal intervals on which it is affine."""
        knots, values, scale = self._extended()
        return int(bends_at(knots, values[:, None], EQUAL, scale=scale).sum()) - 1

    def scale(self, a: float | int, b: float | int = 0.0) -> "PiecewiseLinear":
        """The function ``a f + b``."""
        return PiecewiseLinear(self.knots, a * self.values + b, a * self.left, a * self.right)

    def add(self, *others: "PiecewiseLinear") -> "PiecewiseLinear":
        """The sum, with the knots of all."""
        terms = (self, *others)
        knots = torch.cat([f.knots for f in terms]).unique()
        values = torch.stack([f(knots) for f in terms]).sum(dim=0)
        return PiecewiseLinear(
            knots, values, sum(f.left for f in terms), sum(f.right for f in terms)
        )

    def relu(self) -> "PiecewiseLinear":
        """The positive part; a new knot at every change of sign."""
        return self.clipped(0.0)

    def clipped(self, low: float | int) -> "PiecewiseLinear":
        """The larger of the function and a constant."""
        if math.isnan(low):
            raise InputError("low must be a number, got NaN")
        y = self.values - low
        a, b = y[:-1], y[1:]
        i = (a * b < 0).nonzero()[:, 0]
        t = a[i] / (a[i] - b[i])
        new = [self.knots[i] + t * (self.knots[i + 1] - self.knots[i])]
        if y[0] * self.left > 0:
            new.append(self.knots[:1] - y[0] / self.left)
        if y[-1] * self.right < 0:
            new.append(self.knots[-1:] - y[-1] / self.right)
        zeros = torch.cat(new)
        knots, order = torch.cat([self.knots, zeros]).sort()
        values = torch.cat([self.values.clamp(min=low), torch.full_like(zeros, low)])[order]
        fresh = torch.cat([torch.ones(1, dtype=torch.bool), knots.diff() > 0])
        return PiecewiseLinear(
            knots[fresh], values[fresh], min(self.left, 0.0), max(self.right, 0.0)
        )

    def _extended(self) -> tuple[Tensor, Tensor, float]:
        """One more knot on either side, as far out as the knots are apart; and the values' size."""
        far = float(self.knots[-1] - self.knots[0]) or 1.0
        knots = torch.cat([self.knots[:1] - far, self.knots, self.knots[-1:] + far])
        first, last = self.values[:1] - far * self.left, self.values[-1:] + far * self.right
        values = torch.cat([first, self.values, last])
        return knots, values, float(values.abs().max())


def random_piecewise(pieces: int, *, rng: Generator) -> PiecewiseLinear:
    """A zig-zag with Gaussian values at uniform knots of [-1, 1] and Gaussian outer slopes.

    Example:
        >>> random_piecewise(7, rng=torch.Generator().manual_seed(0)).pieces
        7
    """
    if pieces < 1:
        raise InputError(f"a function has at least one piece, got pieces={pieces}")
    n = max(pieces - 1, 1)
    kind: dict[str, Any] = {"generator": rng, "device": rng.device, "dtype": torch.float64}
    knots = (2 * torch.rand(n, **kind) - 1).sort().values
    left, right = torch.randn(2, **kind).tolist()
    return PiecewiseLinear(knots, torch.randn(n, **kind), left, right if pieces > 1 else left)


def bends_at(
    x: Float[Tensor, " b"],
    y: Float[Tensor, "b k"],
    tolerance: float,
    *,
    scale: float | None = None,
) -> Bool[Tensor, " b"]:
    """Where some column of y leaves the chord between its neighbours; both ends count.

    Args:
        x: Points, ascending.
        y: Values there.
        tolerance: Distances from the chord up to this share of the scale are zero.
        scale: The largest value if absent.

    Example:
        >>> bends_at(torch.arange(4.0), torch.tensor([[0.0], [1.0], [2.0], [2.0]]), 1e-9).tolist()
        [True, False, True, True]
    """
    check_finite("x", x)
    check_finite("y", y)
    check_at_least("tolerance", tolerance, 0)
    share = ((x[1:-1] - x[:-2]) / (x[2:] - x[:-2]))[:, None]
    off = (y[1:-1] - (y[:-2] + share * (y[2:] - y[:-2]))).abs()
    size = float(y.abs().max()) if scale is None else scale
    check_at_least("scale", size, 0)
    ends = torch.ones(1, dtype=torch.bool, device=y.device)
    return torch.cat([ends, (off > tolerance * size).any(dim=1), ends])
