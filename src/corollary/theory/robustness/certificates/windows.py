r"""Linear forms of an image that see a window of it: what convolutions make of single entries.

An entry of a convolution's output is a form of a small window of its input. Carried further back,
windows grow by the next kernel. Keeping them as windows spares the zeros around them: through a
convolution the coefficients go by the transposed convolution of the window alone.

There is a form for each place :math:`(i,j)` of a grid, whose window begins at row
:math:`s_1i+o_1` and column :math:`s_2j+o_2` (which may lie outside the image, in the padding).
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.theory.robustness.certificates.region import Interval, Region
from corollary.theory.robustness.certificates.rows import Lines, Rows

Pair = tuple[int, int]


@dataclass(frozen=True)
class Windows:
    """Coefficients (n, rows a place, places down, places across, channels, height, width)."""

    a: Tensor
    image: Pair  # height and width of the whole value
    stride: Pair
    offset: Pair
    outside: bool = False  # whether coefficients in the padding may differ from zero

    @classmethod
    def of_entries(cls, n: int, shape: tuple[int, ...], like: Tensor) -> "Windows":
        """Every entry of an image of this shape, and every entry with a minus sign."""
        c, h, w = shape
        eye = torch.eye(c, dtype=like.dtype, device=like.device)
        signed = torch.cat([eye, -eye])[None, :, None, None, :, None, None]
        return cls(signed.expand(n, 2 * c, h, w, c, 1, 1), (h, w), (1, 1), (0, 0))

    @property
    def n(self) -> int:
        """Samples."""
        return len(self.a)

    @property
    def worth_it(self) -> bool:
        """Whether the windows are smaller than the image."""
        return self.a.shape[-2] * self.a.shape[-1] < self.image[0] * self.image[1]

    def convolved(self, weight: Tensor, stride: Pair, padding: Pair, dilation: Pair, groups: int,
                  image: Pair) -> "Windows":  # fmt: skip
        """The forms of the value before a convolution with these options."""
        a = self.a * self._seen(self._ones()) if self.outside else self.a
        flat = a.reshape(-1, *a.shape[4:])
        if flat.shape[-2:] == (1, 1):  # as a matrix product
            wide = _dilated(weight, dilation)
            moved = _entry_windows(flat[:, :, 0, 0], wide, groups)
        else:
            moved = F.conv_transpose2d(flat, weight, None, stride, 0, 0, groups, dilation)
        return Windows(
            moved.reshape(*self.a.shape[:4], *moved.shape[1:]),
            image,
            _pair(self.stride[i] * stride[i] for i in (0, 1)),
            _pair(self.offset[i] * stride[i] - padding[i] for i in (0, 1)),
            outside=True,
        )

    def plus(self, other: "Windows | Rows") -> "Windows | Rows":
        """The sum of both forms."""
        if isinstance(other, Rows) or other.stride != self.stride:
            return self.dense().plus(other.dense())
        low = [min(self.offset[i], other.offset[i]) for i in (0, 1)]
        high = [max(self._end(i), other._end(i)) for i in (0, 1)]
        return self._widened(low, high, self._widened_other(other, low, high))

    def scaled(self, scale: Tensor) -> "Windows | Rows":
        """Coefficients times one number a channel; anything finer goes by the whole image."""
        if scale.numel() == 1:
            return replace(self, a=self.a * scale)
        if scale.dim() == 4 and scale.shape[2:] == (1, 1):
            return replace(self, a=self.a * scale[0, :, 0, 0, None, None])
        return self.dense().scaled(scale)

    def relaxed(self, lines: Lines) -> tuple["Windows", Tensor]:
        """The forms of the value before an entrywise function, and what is added to them."""
        pos, neg = self.a.clamp_min(0), self.a.clamp_max(0)
        added = self._dot(pos, lines.low_shift) + self._dot(neg, lines.high_shift)
        moved = pos.mul_(self._seen(lines.low)).addcmul_(neg, self._seen(lines.high))
        return replace(self, a=moved, outside=False), added

    def against(self, value: Tensor) -> Tensor:
        """The forms at one value a sample (or one for all)."""
        return self._dot(self.a, value.expand(self.n, *self.a.shape[4:5], *self.image))

    def over_interval(self, interval: Interval) -> Tensor:
        """The smallest values over an interval."""
        return self._dot(self.a, interval.middle) - self._dot(self.a.abs(), interval.radius)

    def over_region(self, region: Region) -> Tensor:
        """The smallest values over the allowed inputs."""
        box = region.interval()
        if region.norm == "linf":
            return self.over_interval(box)
        inside = self.a * self._seen(self._ones())
        length = torch.linalg.vector_norm(inside, dim=(-3, -2, -1))
        eps = region.eps.view(-1, 1, 1, 1)
        found = self.against(region.x) - (eps * length).flatten()
        return found if region.box is None else torch.maximum(found, self.over_interval(box))

    def dense(self) -> Rows:
        """The same with coefficients for the whole image."""
        n, r, down, across, c, h, w = self.a.shape
        before, after = self._margins()
        height = before[0] + self.image[0] + after[0]
        width = before[1] + self.image[1] + after[1]
        whole = self.a.new_zeros(n * r, down, across, c, height, width)
        first = (self.offset[0] + before[0]) * width + self.offset[1] + before[1]
        steps = whole.stride()
        places = whole.as_strided(
            (n * r, down, across, c, h, w),
            (steps[0], steps[1] + self.stride[0] * width, steps[2] + self.stride[1], *steps[3:]),
            first,
        )
        places.copy_(self.a.reshape(n * r, down, across, c, h, w))
        rows, columns = (slice(before[i], before[i] + self.image[i]) for i in (0, 1))
        inner = whole[..., rows, columns]
        return Rows(inner.reshape(-1, c, *self.image), n)

    def _seen(self, value: Tensor) -> Tensor:
        """What each window sees of a value (zero in the padding), without copies of it."""
        before, after = self._margins()
        padded = F.pad(value, (before[1], after[1], before[0], after[0])).contiguous()
        n, c = padded.shape[:2]
        by_n, by_c, by_row, by_column = padded.stride()
        first = (self.offset[0] + before[0]) * by_row + self.offset[1] + before[1]
        down, across, h, w = (self.a.shape[i] for i in (2, 3, 5, 6))
        steps = (by_n, 0, self.stride[0] * by_row, self.stride[1], by_c, by_row, by_column)
        return padded.as_strided((n, 1, down, across, c, h, w), steps, first)

    def _dot(self, a: Tensor, value: Tensor | None) -> Tensor:
        if value is None:
            return a.new_zeros(a.shape[:4].numel())
        seen = self._seen(value)[:, 0]  # (n, down, across, channels, height, width)
        rows = a.permute(0, 2, 3, 1, 4, 5, 6).flatten(4)  # (n, down, across, rows, entries)
        found = rows @ seen.flatten(3).expand(*rows.shape[:3], -1)[..., None]
        return found[..., 0].permute(0, 3, 1, 2).flatten()

    def _ones(self) -> Tensor:
        return self.a.new_ones(1, self.a.shape[4], *self.image)

    def _end(self, axis: int) -> int:
        return self.offset[axis] + self.a.shape[5 + axis]

    def _margins(self) -> tuple[Pair, Pair]:
        """How far windows reach beyond the image, before and after."""
        before = _pair(max(0, -self.offset[i]) for i in (0, 1))
        last = [(self.a.shape[2 + i] - 1) * self.stride[i] + self._end(i) for i in (0, 1)]
        return before, _pair(max(0, last[i] - self.image[i]) for i in (0, 1))

    def _widened_other(self, other: "Windows", low: list[int], high: list[int]) -> Tensor:
        return F.pad(other.a, other._growth(low, high))

    def _widened(self, low: list[int], high: list[int], more: Tensor) -> "Windows":
        a = F.pad(self.a, self._growth(low, high)) + more
        return replace(self, a=a, offset=_pair(low), outside=True)

    def _growth(self, low: list[int], high: list[int]) -> list[int]:
        up, left = (self.offset[i] - low[i] for i in (0, 1))
        down, right = (high[i] - self._end(i) for i in (0, 1))
        return [left, right, up, down]


def _entry_windows(a: Tensor, weight: Tensor, groups: int) -> Tensor:
    """Forms of single places: products of (rows, out channels) with the kernel."""
    if groups == 1:
        return (a @ weight.flatten(1)).view(len(a), *weight.shape[1:])
    parts = zip(a.chunk(groups, 1), weight.chunk(groups, 0), strict=True)
    return torch.cat([(p @ w.flatten(1)).view(len(a), *w.shape[1:]) for p, w in parts], 1)


def _dilated(weight: Tensor, dilation: Pair) -> Tensor:
    if dilation == (1, 1):
        return weight
    sizes = [(weight.shape[2 + i] - 1) * dilation[i] + 1 for i in (0, 1)]
    wide = weight.new_zeros(*weight.shape[:2], *sizes)
    wide[:, :, :: dilation[0], :: dilation[1]] = weight
    return wide


def _pair(numbers) -> Pair:  # noqa: ANN001 - any two numbers
    first, second = numbers
    return int(first), int(second)
