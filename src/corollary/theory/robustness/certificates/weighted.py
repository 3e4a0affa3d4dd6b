"""Matrix products and convolutions."""

from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.theory.robustness.certificates.region import Interval
from corollary.theory.robustness.certificates.rounding import lowered
from corollary.theory.robustness.certificates.rows import Rows
from corollary.theory.robustness.certificates.steps import Forms, Weighted
from corollary.theory.robustness.certificates.tape import Call
from corollary.theory.robustness.certificates.windows import Windows

CONVOLVE = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
FEW = 4  # channels


class Dense(Weighted):
    """The last axis times a matrix (out, in)."""

    def __init__(self, call: Call, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(call, weight, bias)
        self.terms = weight.shape[1], weight.shape[0]

    @cached_property
    def sums(self) -> Tensor:
        """Of the sizes in each row."""
        return self.sizes.sum(1)

    @cached_property
    def lengths(self) -> Tensor:
        """Of the rows."""
        lengths: Tensor = torch.linalg.vector_norm(self.weight, dim=1)
        return lengths

    def magnitude(self, reach: Tensor) -> Tensor:
        """By the sums or by the lengths of the rows of the matrix."""
        length = torch.linalg.vector_norm(reach, dim=-1, keepdim=True)
        return torch.minimum(reach.amax(-1, keepdim=True) * self.sums, length * self.lengths)

    def product(self, weight: Tensor, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """From the right."""
        return F.linear(x, weight, bias)

    def shift(self) -> Tensor:
        """The bias."""
        assert self.bias is not None
        return self.bias

    def backward(self, forms: Forms, values: Any) -> tuple[list[Forms], Tensor | float]:
        """Products with the matrix from the other side."""
        rows = forms.dense()
        a = rows.a
        added = 0.0 if self.bias is None else rows.against(self.bias.expand(1, *self.call.shape))
        return [rows.with_a(a @ self.weight)], added

    def some_entries(self, which: Tensor, owed: Tensor) -> tuple[Rows, Tensor]:
        """Chosen entries (n, m) of each sample with both signs, as forms of the input."""
        a = self.weight[which]  # (n, m, in)
        bias = torch.zeros_like(a[..., 0]) if self.bias is None else self.bias[which]
        shifts = torch.stack([bias, -bias], 1) - owed.gather(1, which)[:, None]
        return Rows(torch.cat([a, -a], 1).flatten(0, 1), len(which)), lowered(shifts).flatten()

    def entries(self, n: int, owed: Tensor) -> tuple[Rows, Tensor] | None:
        """Every entry of the result with both signs, as forms of the input; None if it is no row.

        They are the rows of the matrix, so no product is needed.
        """
        if len(self.call.shape) != 1:
            return None
        both = torch.cat([self.weight, -self.weight])
        bias = self.weight.new_zeros(len(self.weight)) if self.bias is None else self.bias
        shifts = torch.stack([bias, -bias]) - owed[:, None]
        return Rows(both, n, shared=True), lowered(shifts).flatten()


class Convolution(Weighted):
    """A convolution of any stride, padding, dilation and groups."""

    def __init__(
        self, call: Call, weight: Tensor, bias: Tensor | None, shape: Any, options: dict[str, Any]
    ) -> None:
        super().__init__(call, weight, bias)
        self.shape, self.options = shape, options
        self.axes = weight.dim() - 2
        kernel = weight[0, 0].numel()
        self.terms = weight[0].numel(), kernel * weight.shape[0] // options["groups"]
        how = (options[name] for name in ("stride", "padding", "dilation"))
        ends = zip(shape[1:], weight.shape[2:], *how, strict=True)
        # places at the end of the image that no window reaches
        self.left_over = tuple((i + 2 * p - d * (k - 1) - 1) % s for i, k, s, p, d in ends)

    @cached_property
    def sums(self) -> Tensor:
        """Of the sizes in each kernel."""
        return self.sizes.flatten(1).sum(1).view(-1, *(1,) * self.axes)

    def magnitude(self, reach: Tensor) -> Tensor:
        """The largest entry times the sums of the kernels."""
        return reach.amax(tuple(range(1, reach.dim())), keepdim=True) * self.sums

    def product(self, weight: Tensor, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """The convolution."""
        return CONVOLVE[self.axes](x, weight, bias, **self.options)

    def shift(self) -> Tensor:
        """The bias, one number per channel."""
        assert self.bias is not None
        return self.bias.view(-1, *(1,) * self.axes)

    def backward(self, forms: Forms, values: Any) -> tuple[list[Forms], Tensor | float]:
        """The transposed convolution; of the windows alone where these are smaller."""
        added: Tensor | float = 0.0
        if self.bias is not None:
            added = forms.against(self.shift()[None].expand(1, *self.call.shape))
        if isinstance(forms, Windows):
            moved = forms.convolved(self.weight, image=self.shape[1:], **self.options)
            return [moved if moved.worth_it else moved.dense()], added
        return [forms.with_a(self._transposed(forms.a))], added

    def _transposed(self, a: Tensor) -> Tensor:
        """To few channels it is faster by a product that is folded up than by torch's own."""
        options = self.options
        if self.axes != 2 or self.shape[0] > FEW or options["groups"] > 1:
            options = {**options, "output_padding": self.left_over}
            return TRANSPOSED[self.axes](a, self.weight, None, **options)
        patches = self.weight.flatten(1).T @ a.flatten(2)
        kernel, image = tuple(self.weight.shape[2:]), tuple(self.shape[1:])
        return F.fold(
            patches, image, kernel, options["dilation"], options["padding"], options["stride"]
        )


class TransposedConvolution(Weighted):
    """The adjoint of a convolution as a layer."""

    def __init__(
        self, call: Call, weight: Tensor, bias: Tensor | None, options: dict[str, Any]
    ) -> None:
        super().__init__(call, weight, bias)
        self.options, self.axes = options, weight.dim() - 2
        groups, kernel = options["groups"], weight[0, 0].numel()
        self.terms = weight.shape[0] // groups * kernel, weight.shape[1] * kernel

    @cached_property
    def sums(self) -> Tensor:
        """Of the sizes in each kernel."""
        groups = torch.unflatten(self.sizes, 0, (self.options["groups"], -1))
        by_group = groups.flatten(3).sum((1, 3))
        return by_group.view(-1, *(1,) * self.axes)

    def magnitude(self, reach: Tensor) -> Tensor:
        """The largest entry times the sums of the kernels."""
        return reach.amax(tuple(range(1, reach.dim())), keepdim=True) * self.sums

    def product(self, weight: Tensor, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """The transposed convolution."""
        return TRANSPOSED[self.axes](x, weight, bias, **self.options)

    def shift(self) -> Tensor:
        """The bias, one number per channel."""
        assert self.bias is not None
        return self.bias.view(-1, *(1,) * self.axes)

    def backward(self, forms: Forms, values: Any) -> tuple[list[Forms], Tensor | float]:
        """A plain convolution with the same kernel."""
        rows = forms.dense()
        added: Tensor | float = 0.0
        if self.bias is not None:
            added = rows.against(self.shift()[None].expand(1, *self.call.shape))
        options = {k: v for k, v in self.options.items() if k != "output_padding"}
        moved = CONVOLVE[self.axes](rows.a, self.weight, None, **options)
        return [rows.with_a(_cropped(moved, values[0]))], added


def _cropped(a: Tensor, value: Interval) -> Tensor:
    """Output padding may leave a place too many at the end."""
    for axis, size in enumerate(value.lower.shape[2:], start=2):
        a = a.narrow(axis, 0, size)
    return a
