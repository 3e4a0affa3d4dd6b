r"""Linear forms of a value, many for each sample: what a backward pass of bounds carries.

Each row is a coefficient tensor shaped like the value; the bound is the smallest value that
the form takes. A form that meets an interval :math:`[l,u]` ends there with
:math:`\langle a,c\rangle-\langle|a|,r\rangle`, c and r being middle and radius.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from corollary.theory.robustness.certificates.region import Interval, Region


@dataclass(frozen=True)
class Lines:
    """Two lines a entry, below and above a function on its interval; no shift means 0."""

    low: Tensor  # slope of the line below
    high: Tensor  # slope of the line above
    low_shift: Tensor | None = None
    high_shift: Tensor | None = None


@dataclass(frozen=True)
class Rows:
    """Rows in the order of their samples: as many for each, or as ``owner`` says."""

    a: Tensor  # (rows, *shape)
    n: int  # samples
    owner: Tensor | None = None  # sample of each row; None for as many rows for each

    def with_a(self, a: Tensor) -> "Rows":
        """Other coefficients for the same forms."""
        return replace(self, a=a)

    def plus(self, other: "Rows") -> "Rows":
        """The sum of both forms."""
        return self.with_a(self.a + other.dense().a)

    def dense(self) -> "Rows":
        """Coefficients for all entries of the value: what these are."""
        return self

    def relaxed(self, lines: Lines) -> tuple["Rows", Tensor]:
        """The forms of the value before an entrywise function, and what is added to them."""
        a = self._by_sample()
        pos, neg = a.clamp_min(0), a.clamp_max(0)
        added = self.dot(pos, lines.low_shift) + self.dot(neg, lines.high_shift)
        moved = pos.mul_(self._matched(lines.low)).addcmul_(neg, self._matched(lines.high))
        return self.with_a(moved.reshape(self.a.shape)), added

    def scaled(self, scale: Tensor) -> "Rows":
        """Coefficients times one number an entry (or fewer, as broadcasting goes)."""
        return self.with_a(self.a * scale)

    def against(self, value: Tensor) -> Tensor:
        """The forms at one value a sample (or one for all)."""
        return self.dot(self._by_sample(), value)

    def over_interval(self, interval: Interval) -> Tensor:
        """The smallest values over an interval."""
        a = self._by_sample()
        return self.dot(a, interval.middle) - self.dot(a.abs(), interval.radius)

    def over_region(self, region: Region) -> Tensor:
        """The smallest values over the allowed inputs."""
        box = region.interval()
        if region.norm == "linf":
            return self.over_interval(box)
        length = torch.linalg.vector_norm(self.a.flatten(1), dim=1)
        found = self.against(region.x) - self._each(region.eps) * length
        return found if region.box is None else torch.maximum(found, self.over_interval(box))

    def dot(self, a: Tensor, value: Tensor | None) -> Tensor:
        """Products of rows (as :meth:`_by_sample` has them) with a value of each sample."""
        if value is None:
            return a.new_zeros(len(self.a))
        if len(value) == 1 and self.owner is None and a.shape[0] > 1:
            return a.reshape(len(self.a), -1) @ value.flatten()
        if self.owner is None:
            return torch.bmm(a.flatten(2), value.flatten(1)[:, :, None]).flatten()
        held = value if len(value) == 1 else value[self.owner]
        return (a.flatten(1) * held.flatten(1)).sum(1)

    def _by_sample(self) -> Tensor:
        """(n, rows a sample, *shape), or the rows as they are if their numbers differ."""
        return self.a.reshape(self.n, -1, *self.a.shape[1:]) if self.owner is None else self.a

    def _matched(self, value: Tensor) -> Tensor:
        return value[:, None] if self.owner is None else value[self.owner]

    def _each(self, number: Tensor) -> Tensor:
        if self.owner is None:
            return number.repeat_interleave(len(self.a) // self.n)
        return number[self.owner]
