r"""Linear forms of a value, many for each sample: what a backward pass of bounds carries.

Each row is a coefficient tensor shaped like the value; the bound is the smallest value that
the form takes. A form that meets an interval :math:`[l,u]` ends there with
:math:`\langle a,c\rangle-\langle|a|,r\rangle`, c and r being middle and radius.
"""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from corollary.theory.robustness.balls import Norm
from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rounding import gamma


@runtime_checkable
class LinearForm(Protocol):
    """Rows, or windows, which can be written as rows."""

    def dense(self) -> "Rows":
        """The same with coefficients for all entries of the value."""
        ...


@dataclass(frozen=True)
class Lines:
    r"""Two lines per entry, below and above a function on its interval; no shift means 0.

    A coefficient a takes the line below if it is positive and the one above if not: it becomes
    :math:`a\,s_{\mathrm{high}}+\max(a,0)(s_{\mathrm{low}}-s_{\mathrm{high}})`.
    """

    low: Tensor  # slope of the line below
    high: Tensor  # slope of the line above
    low_shift: Tensor | None = None
    high_shift: Tensor | None = None

    def widened(self, value: Interval) -> "Lines":
        """Moved apart by what rounding costs until forms of the value before are had.

        That is: products with slopes and shifts, and what the value before owes.
        """
        slopes = self.low.abs() + self.high.abs()
        g = gamma(8, slopes.dtype)
        both = value.reach * (g * slopes)
        held = [s for s in (self.low_shift, self.high_shift) if s is not None]
        if held:
            many = gamma(value.lower[0].numel() + 8, slopes.dtype)
            both = both + sum(2 * many * s.abs() for s in held)
        low = high = both
        if value.owed is not None:
            owed = value.owed * (1 + 4 * gamma(value.lower[0].numel() + 8, slopes.dtype))
            low, high = both + self.low.abs() * owed, both + self.high.abs() * owed
        return replace(
            self,
            low_shift=-low if self.low_shift is None else self.low_shift - low,
            high_shift=high if self.high_shift is None else self.high_shift + high,
        )

    @property
    def excess(self) -> Tensor:
        """Slope below less slope above."""
        return self.low - self.high

    @property
    def excess_shift(self) -> Tensor | None:
        """Shift below less shift above."""
        if self.low_shift is None:
            return None if self.high_shift is None else -self.high_shift
        return self.low_shift if self.high_shift is None else self.low_shift - self.high_shift


@dataclass(frozen=True)
class Rows:
    """Rows in the order of their samples: as many for each, or as ``owner`` says.

    ``shared`` rows are the same for all samples, and held once.
    """

    a: Tensor  # (rows, *shape)
    n: int  # samples
    owner: Tensor | None = None  # sample of each row; None for as many rows for each
    shared: bool = False

    def with_a(self, a: Tensor) -> "Rows":
        """Other coefficients for the same forms."""
        return replace(self, a=a)

    def plus(self, other: LinearForm) -> "Rows":
        """The sum of both forms."""
        more = other.dense()
        if self.shared != more.shared:
            return self._apart().plus(more._apart())
        return self.with_a(self.a + more.a)

    def dense(self) -> "Rows":
        """Coefficients for all entries of the value: what these are."""
        return self

    def relaxed(self, lines: Lines) -> tuple["Rows", Tensor]:
        """The forms of the value before an entrywise function, and what is added to them."""
        a = self._by_sample()
        pos = a.clamp_min(0)
        added = self._dot(a, lines.high_shift) + self._dot(pos, lines.excess_shift)
        moved = (a * self._matched(lines.high)).addcmul_(pos, self._matched(lines.excess))
        flat = moved if self.owner is not None else moved.flatten(0, 1)
        return replace(self, a=flat, shared=False), added

    def scaled(self, scale: Tensor) -> "Rows":
        """Coefficients times one number per entry (or fewer, as broadcasting goes)."""
        return self.with_a(self.a * scale)

    def against(self, value: Tensor) -> Tensor:
        """The forms at one value per sample (or one for all)."""
        return self._dot(self._by_sample(), value)

    def sizes_against(self, value: Tensor) -> Tensor:
        """The sizes of the coefficients, times a value >= 0."""
        return self._dot(self._by_sample().abs(), value.expand(-1, *self.a.shape[1:]))

    def over_interval(self, interval: Interval) -> Tensor:
        """The smallest values over an interval."""
        a = self._by_sample()
        middle, radius = interval.padded()
        return self._dot(a, middle) - self._dot(a.abs(), radius)

    def over_region(self, region: Region) -> Tensor:
        """The smallest values over the allowed inputs."""
        if region.norm == "linf" and region.box is not None:
            return self.over_interval(region.interval())
        flat = self._by_sample().flatten(2 if self.owner is None else 1)
        length = dual_length(flat, region.norm, -1)
        reaches = region.reaches()
        radius = reaches[:, None] if self.owner is None else reaches[self.owner]
        found = self.against(region.x) - (radius * length).flatten()
        if region.box is None:
            return found
        return torch.maximum(found, self.over_interval(region.interval()))

    def spread(self, value: Tensor) -> Tensor:
        """One value per sample, repeated for its rows."""
        if self.owner is not None:
            return value[self.owner]
        return value.repeat_interleave(len(self._apart().a) // self.n, 0)

    def _dot(self, a: Tensor, value: Tensor | None) -> Tensor:
        """Products of rows (as :meth:`_by_sample` has them) with a value of each sample."""
        if value is None:
            return a.new_zeros(())
        if self.owner is not None:
            held = value if len(value) == 1 else value[self.owner]
            return (a.flatten(1) * held.flatten(1)).sum(1)
        flat = value.expand(self.n, *value.shape[1:]).flatten(1)
        if self.shared:
            return (flat @ a[0].flatten(1).T).flatten()
        return (a.flatten(2) * flat[:, None]).sum(2).flatten()  # four times as fast as bmm

    def _apart(self) -> "Rows":
        if not self.shared:
            return self
        a = self.a[None].expand(self.n, *self.a.shape).flatten(0, 1)
        return replace(self, a=a, shared=False)

    def _by_sample(self) -> Tensor:
        """(n, rows per sample, *shape), or the rows as they are if their numbers differ."""
        if self.owner is not None:
            return self.a
        return self.a[None] if self.shared else self.a.view(self.n, -1, *self.a.shape[1:])

    def _matched(self, value: Tensor) -> Tensor:
        return value[:, None] if self.owner is None else value[self.owner]


def dual_length(a: Tensor, norm: Norm, axes: int | tuple[int, ...]) -> Tensor:
    """The dual norm of coefficients; a sum of sizes is faster than torch's norm."""
    return a.abs().sum(axes) if norm == "linf" else torch.linalg.vector_norm(a, dim=axes)
