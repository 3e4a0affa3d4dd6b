r"""Linear forms of an image that see a window of it: what convolutions make of single entries.

An entry of a convolution's output is a form of a small window of its input. Carried further back,
windows grow by the next kernel. Keeping them as windows spares the zeros around them: through a
convolution the coefficients go by the transposed convolution of the window alone.

There are forms for each place :math:`(i,j)` of a grid, whose window begins at row
:math:`s_1i+o_1` and column :math:`s_2j+o_2` (which may lie outside the image, in the padding).
As long as no bend was met they are the same at all places and for all samples, and held once. Forms
may also be wanted at some places only.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rows import Lines, Rows, dual_length

Pair = tuple[int, int]
MATRIX = 1 << 20  # entries up to which the transposed convolution of a window is held as a matrix


@dataclass(frozen=True)
class Windows:
    """Coefficients (n, places down, places across, rows, channels, height, width).

    The first three axes have length 1 while the forms are the same everywhere. If some places are
    ``picked`` (by their number among all places of all samples), the first axis counts forms, and
    the three after it have length 1.
    """

    a: Tensor
    grid: tuple[int, int, int]  # samples, places down, places across
    image: Pair  # height and width of the whole value
    stride: Pair
    offset: Pair
    outside: bool = False  # whether coefficients in the padding may differ from zero
    picked: Tensor | None = None

    @classmethod
    def of_entries(cls, n: int, shape: tuple[int, ...], like: Tensor) -> "Windows":
        """Every entry of an image of this shape, and every entry with a minus sign."""
        c, h, w = shape
        eye = torch.eye(c, dtype=like.dtype, device=like.device)
        signed = torch.cat([eye, -eye]).view(1, 1, 1, 2 * c, c, 1, 1)
        return cls(signed, (n, h, w), (h, w), (1, 1), (0, 0))

    @classmethod
    def of_some(
        cls, n: int, shape: tuple[int, ...], like: Tensor, owner: Tensor, entry: Tensor
    ) -> "Windows":
        """Some entries of an image of this shape, then the same with a minus sign."""
        c, h, w = shape
        channel, place = entry // (h * w), entry % (h * w)
        eye = torch.eye(c, dtype=like.dtype, device=like.device)[channel]
        signed = torch.cat([eye, -eye])[:, None, None, None, :, None, None]
        picked = (owner * (h * w) + place).repeat(2)
        return cls(signed, (n, h, w), (h, w), (1, 1), (0, 0), picked=picked)

    @property
    def owner(self) -> Tensor | None:
        """Sample of each picked form."""
        return None if self.picked is None else self.picked // (self.grid[1] * self.grid[2])

    @property
    def worth_it(self) -> bool:
        """Whether the windows are smaller than the image."""
        return self.a.shape[-2] * self.a.shape[-1] < self.image[0] * self.image[1]

    def convolved(
        self,
        weight: Tensor,
        stride: Pair,
        padding: Pair,
        dilation: Pair,
        groups: int,
        image: Pair,
    ) -> "Windows":
        """The forms of the value before a convolution with these options."""
        a = self._inside() if self.outside else self.a
        flat = a.reshape(-1, *a.shape[4:])
        moved = _transposed(flat, weight, stride, dilation, groups)
        return Windows(
            moved.view(*a.shape[:4], *moved.shape[1:]),
            self.grid,
            image,
            _pair(self.stride[i] * stride[i] for i in (0, 1)),
            _pair(self.offset[i] * stride[i] - padding[i] for i in (0, 1)),
            outside=True,
            picked=self.picked,
        )

    def plus(self, other: "Windows | Rows") -> "Windows | Rows":
        """The sum of both forms."""
        if isinstance(other, Rows) or other.stride != self.stride:
            return self.dense().plus(other.dense())
        low = [min(self.offset[i], other.offset[i]) for i in (0, 1)]
        high = [max(self._end(i), other._end(i)) for i in (0, 1)]
        a = self._widened(low, high) + other._widened(low, high)
        return replace(self, a=a, offset=_pair(low), outside=True)

    def scaled(self, scale: Tensor) -> "Windows | Rows":
        """Coefficients times one number per channel; anything finer goes by the whole image."""
        if scale.numel() == 1:
            return replace(self, a=self.a * scale)
        if scale.dim() == 4 and scale.shape[2:] == (1, 1):
            return replace(self, a=self.a * scale[0, :, 0, 0, None, None])
        return self.dense().scaled(scale)

    def relaxed(self, lines: Lines) -> tuple["Windows", Tensor]:
        """The forms of the value before an entrywise function, and what is added to them."""
        pos = self.a.clamp_min(0)
        added = self._dot(self.a, lines.high_shift) + self._dot(pos, lines.excess_shift)
        moved = (self.a * self._seen(lines.high)).addcmul_(pos, self._seen(lines.excess))
        return replace(self, a=moved, outside=False), added

    def against(self, value: Tensor) -> Tensor:
        """The forms at one value per sample (or one for all)."""
        return self._dot(self.a, value.expand(self.grid[0], *self.a.shape[4:5], *self.image))

    def sizes_against(self, value: Tensor) -> Tensor:
        """The sizes of the coefficients, times a value >= 0."""
        return self._dot(self.a.abs(), value.expand(-1, *self.a.shape[4:5], *self.image))

    def over_interval(self, interval: Interval) -> Tensor:
        """The smallest values over an interval."""
        middle, radius = interval.padded()
        return self._dot(self.a, middle) - self._dot(self.a.abs(), radius)

    def over_region(self, region: Region) -> Tensor:
        """The smallest values over the allowed inputs."""
        if region.norm == "linf" and region.box is not None:
            return self.over_interval(region.interval())
        length = dual_length(self._inside(), region.norm, (-3, -2, -1))
        if self.owner is None:
            length = length.expand(*self.grid, -1) * region.reaches().view(-1, 1, 1, 1)
        else:
            length = length.flatten() * region.reaches()[self.owner]
        found = self.against(region.x) - length.flatten()
        if region.box is None:
            return found
        return torch.maximum(found, self.over_interval(region.interval()))

    def dense(self) -> Rows:
        """The same with coefficients for the whole image."""
        (n, down, across), (r, c, h, w) = self.grid, self.a.shape[3:]
        before, after = self._margins()
        height, width = (before[i] + self.image[i] + after[i] for i in (0, 1))
        if self.picked is not None:
            return self._picked_dense(before, height, width)
        whole = self.a.new_zeros(n, down, across, r, c, height, width)
        first = (self.offset[0] + before[0]) * width + self.offset[1] + before[1]
        steps = list(whole.stride())
        steps[1] += self.stride[0] * width
        steps[2] += self.stride[1]
        whole.as_strided((n, down, across, r, c, h, w), steps, first).copy_(self.a)
        rows, columns = (slice(before[i], before[i] + self.image[i]) for i in (0, 1))
        return Rows(whole[..., rows, columns].reshape(-1, c, *self.image), n)

    def _picked_dense(self, before: Pair, height: int, width: int) -> Rows:
        assert self.picked is not None
        c, h, w = self.a.shape[4:]
        place = self.picked % (self.grid[1] * self.grid[2])
        down, across = place // self.grid[2], place % self.grid[2]
        top = down * self.stride[0] + self.offset[0] + before[0]
        left = across * self.stride[1] + self.offset[1] + before[1]
        counts = [torch.arange(k, device=place.device) for k in (c, h, w)]
        inside = (counts[0][:, None, None] * height + counts[1][:, None]) * width + counts[2]
        index = (top * width + left)[:, None] + inside.flatten()
        whole = self.a.new_zeros(len(self.a), c * height * width)
        whole.scatter_(1, index, self.a.flatten(1))
        rows, columns = (slice(before[i], before[i] + self.image[i]) for i in (0, 1))
        inner = whole.view(-1, c, height, width)[..., rows, columns]
        return Rows(inner.contiguous(), self.grid[0], self.owner)

    def _seen(self, value: Tensor) -> Tensor:
        """What each window sees of a value (zero in the padding), for all rows of a place."""
        before, after = self._margins()
        padded = F.pad(value, (before[1], after[1], before[0], after[0])).contiguous()
        n, c = padded.shape[:2]
        by_n, by_c, by_row, by_column = padded.stride()
        first = (self.offset[0] + before[0]) * by_row + self.offset[1] + before[1]
        steps = (by_n, self.stride[0] * by_row, self.stride[1], 0, by_c, by_row, by_column)
        seen = padded.as_strided((n, *self.grid[1:], 1, c, *self.a.shape[-2:]), steps, first)
        if self.picked is not None:
            places = seen.expand(self.grid[0], *seen.shape[1:]).flatten(0, 2)
            return places[self.picked][:, None, None]
        return seen.contiguous()  # products keep this order of axes, and need no copies later

    def _dot(self, a: Tensor, value: Tensor | None) -> Tensor:
        rows = a.shape[3]
        if value is None:
            return a.new_zeros(())
        seen = self._seen(value).flatten(3)  # (n, down, across, entries)
        if self.picked is not None:
            products: Tensor = torch.linalg.vecdot(a.flatten(1), seen.flatten(1))
            return products
        if a.shape[:3] == (1, 1, 1):
            return (seen.flatten(0, 2) @ a.view(rows, -1).T).flatten()
        if len(a) == 1:  # the same for all samples: (places, rows, entries) x (places, entries, n)
            places = a.flatten(4).flatten(0, 2)
            found = torch.bmm(places, seen.flatten(1, 2).permute(1, 2, 0))
            return found.permute(2, 0, 1).flatten()
        flat = a.reshape(-1, rows, seen.shape[-1])
        return (flat * seen.reshape(len(flat), 1, -1)).sum(2).flatten()

    def _inside(self) -> Tensor:
        """Coefficients with zeros in the padding."""
        if self._margins() == ((0, 0), (0, 0)):
            return self.a
        return self.a * self._seen(self.a.new_ones(1, self.a.shape[4], *self.image))

    def _end(self, axis: int) -> int:
        return self.offset[axis] + self.a.shape[5 + axis]

    def _margins(self) -> tuple[Pair, Pair]:
        """How far windows reach beyond the image, before and after."""
        before = _pair(max(0, -self.offset[i]) for i in (0, 1))
        last = [(self.grid[1 + i] - 1) * self.stride[i] + self._end(i) for i in (0, 1)]
        return before, _pair(max(0, last[i] - self.image[i]) for i in (0, 1))

    def _widened(self, low: list[int], high: list[int]) -> Tensor:
        """Coefficients for a larger window."""
        up, left = (self.offset[i] - low[i] for i in (0, 1))
        down, right = (high[i] - self._end(i) for i in (0, 1))
        return F.pad(self.a, [left, right, up, down])


def _transposed(a: Tensor, weight: Tensor, stride: Pair, dilation: Pair, groups: int) -> Tensor:
    """The transposed convolution of windows (rows, channels, height, width)."""
    shape = a.shape[1:]
    spread = partial(F.conv_transpose2d, stride=stride, dilation=dilation, groups=groups)
    steps, kernel = shape[1:], weight.shape[2:]
    h, w = ((steps[i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1 for i in (0, 1))
    entries = shape.numel() * weight.shape[1] * groups * h * w
    if entries > MATRIX or len(a) < shape.numel():
        return spread(a, weight)
    eye = torch.eye(shape.numel(), dtype=a.dtype, device=a.device).view(-1, *shape)
    matrix = spread(eye, weight)
    return (a.flatten(1) @ matrix.flatten(1)).view(len(a), *matrix.shape[1:])


def _pair(numbers: Iterable[int]) -> Pair:
    first, second = numbers
    return int(first), int(second)
