r"""Affine steps of a network, forwards on intervals and backwards on linear forms.

For :math:`y=Wx+b` and :math:`x\in[c-r,c+r]` the interval of y is :math:`Wc+b\pm|W|r`, which is
exact; for :math:`\|x-c\|_2\le\epsilon` its radius is :math:`\epsilon` times the lengths of the
rows of W. A form :math:`\langle a,y\rangle` becomes :math:`\langle W^\top a,x\rangle+\langle a,b
\rangle`. What rounding adds to both is explained in
:mod:`~corollary.theory.robustness.certificates.rounding`.

:source: Gowal et al. (2018), "On the effectiveness of interval bound propagation for training
    verifiably robust models"; Zhang, Weng, Chen, Hsieh and Daniel (2018), "Efficient neural network
    robustness certification with general activation functions", for the forms.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from corollary.theory.robustness.certificates.region import Interval
from corollary.theory.robustness.certificates.rounding import gamma, terms
from corollary.theory.robustness.certificates.rows import Rows
from corollary.theory.robustness.certificates.tape import Call
from corollary.theory.robustness.certificates.windows import Windows

Forms = Rows | Windows
# Operations that only move entries, so that each result is one entry of the input or a constant.
MOVES = set(
    "view reshape _unsafe_view flatten unflatten permute transpose squeeze unsqueeze slice select "
    "pad constant_pad_nd clone contiguous alias detach dropout native_dropout flip roll movedim "
    "pixel_shuffle".split()
)
# The entries in their order, in another shape.
RESHAPES = set(
    "view reshape _unsafe_view flatten unflatten squeeze unsqueeze clone contiguous alias detach "
    "dropout native_dropout".split()
)
# Results are sums of entries with weights >= 0.
AVERAGES = set(
    "mean sum cumsum avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
    "adaptive_avg_pool3d _adaptive_avg_pool2d cat stack expand broadcast_to split "
    "split_with_sizes chunk unbind index_select repeat im2col unfold upsample_nearest1d "
    "upsample_nearest2d upsample_bilinear2d reflection_pad1d reflection_pad2d "
    "replication_pad1d replication_pad2d".split()
)


class Step(ABC):
    """One operation: from intervals to an interval, and from forms back to forms."""

    affine = True  # no relaxation in between: forms pass without looking at intervals
    pays = False  # whether what the result owes holds what the inputs owe, so that none is left
    rounded = True  # whether rounding is paid for; while training it is not

    def __init__(self, call: Call) -> None:
        self.call, self.inputs = call, call.inputs

    @abstractmethod
    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """An interval for the result, given those of the inputs."""

    def backward(
        self, forms: Forms, values: Sequence[Interval]
    ) -> tuple[list[Forms], Tensor | float] | None:
        """The forms of the inputs and what is added; None if the forms have to end here."""
        return None


class Linear(Step):
    """Entries that are moved, averaged or added up: any operation with weights >= 0."""

    def __init__(self, call: Call, shapes: Sequence[tuple[int, ...]]) -> None:
        super().__init__(call)
        self.shapes = shapes
        self.pays = call.op in MOVES and len(shapes) == 1
        self.reshapes = call.op in RESHAPES
        self.terms = (0, 0) if self.pays else terms(call, shapes)

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """The ends by the operation itself."""
        low, high = (self.call(*ends) for ends in self._ends(values))
        if not self.pays:
            return self._added_up(values, low, high)
        (v,) = values
        ball = v.ball
        if ball is not None:
            spread = self._moved(ball.spread)
            ball = replace(ball, center=self.call(ball.center), spread=spread)
        debt = None if v.debt is None else partial(self._owed, v)
        return Interval(low, high, v.mixed, ball, debt, v.positive and self.reshapes)

    def _owed(self, v: Interval) -> Tensor:
        assert v.owed is not None
        return self._moved(v.owed.expand(-1, *v.lower.shape[1:]))

    def _moved(self, part: Tensor) -> Tensor:
        """Without the constant part."""
        if self.reshapes:
            return self.call(part)
        return self.call(part) - self.call(torch.zeros_like(part[:1]))

    def _added_up(self, values: Sequence[Interval], low: Tensor, high: Tensor) -> Interval:
        size = self.call(*[v.reach for v in values]).abs()
        forwards, backwards = self.terms
        free = forwards == 0 or not self.rounded
        slack = 0.0 if free else gamma(2 * forwards + 8, size.dtype) * size
        # a sum of coordinates of a Euclidean ball varies less than its interval
        ball = any(v.ball is not None and v.ball.norm == "l2" for v in values)
        mixed = 2 if ball else min(2, 1 + max(v.mixed for v in values))

        def owed() -> Tensor:
            return gamma(forwards + backwards + 8, size.dtype) * size

        return Interval(low - slack, high + slack, mixed, debt=owed if self.rounded else None)

    def backward(
        self, forms: Forms, values: Sequence[Interval]
    ) -> tuple[list[Forms], Tensor | float]:
        """By the derivative of the operation, which is the same everywhere."""
        rows = forms.dense()
        like = rows.a
        if self.reshapes:
            return [rows.with_a(like.reshape(len(like), *self.shapes[0]))], 0.0
        zeros = [like.new_zeros(len(like), *s).requires_grad_(True) for s in self.shapes]
        graph = like.requires_grad
        with torch.enable_grad():
            grads = torch.autograd.grad(
                self.call(*zeros), zeros, like, allow_unused=True, create_graph=graph
            )
        found = [torch.zeros_like(z) if g is None else g for g, z in zip(grads, zeros, strict=True)]
        nothing = self.call(*[like.new_zeros(1, *s) for s in self.shapes])
        return [rows.with_a(a if graph else a.detach()) for a in found], rows.against(nothing)

    def _ends(self, values: Sequence[Interval]) -> tuple[list[Tensor], list[Tensor]]:
        return [v.lower for v in values], [v.upper for v in values]


class Scaled(Step):
    """One number times each entry plus another: normalisation with fixed statistics, say."""

    def __init__(
        self,
        call: Call,
        scale: Tensor,
        shift: Tensor,
        shape: tuple[int, ...],
        size: Tensor | None = None,
    ) -> None:
        super().__init__(call)
        axes = len(call.shape) + 1
        self.pays = shape == call.shape  # or entries are repeated
        self.copies = math.prod(call.shape) // max(1, math.prod(shape))
        size = shift.abs() if size is None else size  # of the numbers that the shift was made of
        self.scale, self.shift, self.size = (_with_axes(t, axes) for t in (scale, shift, size))

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Ends change places where the factor is negative."""
        (v,) = values
        a, b = v.lower * self.scale + self.shift, v.upper * self.scale + self.shift
        size = v.reach * self.scale.abs() + self.size
        slack = gamma(16, size.dtype) * size
        low, high = torch.minimum(a, b) - slack, torch.maximum(a, b) + slack
        debt = partial(self._owed, v, size)
        if not self.pays:  # repeated entries have no coordinate of their own
            return Interval(low, high, 2 if v.mixed == 0 else v.mixed, debt=debt)
        ball = v.ball
        if ball is not None:
            center = ball.center * self.scale + self.shift
            ball = replace(ball, center=center, spread=ball.spread * self.scale.abs())
        return Interval(low, high, v.mixed, ball, debt)

    def _owed(self, v: Interval, size: Tensor) -> Tensor:
        many = math.prod(self.call.shape)
        owed = gamma(self.copies + 16, size.dtype) * size
        owed = owed + gamma(many + 16, size.dtype) * self.size
        return owed + self.scale.abs() * v.owed if self.pays and v.owed is not None else owed

    def backward(
        self, forms: Forms, values: Sequence[Interval]
    ) -> tuple[list[Forms], Tensor | float]:
        """Scaled coefficients."""
        added = forms.against(self.shift.expand(1, *self.call.shape))
        moved = forms.scaled(self.scale)
        if tuple(values[0].lower.shape[1:]) != self.call.shape:  # repeated along some axes
            moved = _summed_to(moved.dense(), values[0].lower.shape[1:])
        return [moved], added


class Sum(Step):
    """Two inputs with a factor each: shortcuts."""

    def __init__(
        self, call: Call, factors: tuple[float, float], shapes: Sequence[tuple[int, ...]]
    ) -> None:
        super().__init__(call)
        self.factors = factors
        self.pays = all(shape == call.shape for shape in shapes)

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Ends add up."""
        low = high = slack = values[0].lower.new_zeros(())
        g = gamma(8, low.dtype)
        for v, factor in zip(values, self.factors, strict=True):
            ends = (v.lower, v.upper) if factor >= 0 else (v.upper, v.lower)
            low, high = low + factor * ends[0], high + factor * ends[1]
            slack = slack + g * abs(factor) * v.reach
        return Interval(low - slack, high + slack, debt=partial(self._owed, values))

    def _owed(self, values: Sequence[Interval]) -> Tensor:
        owed = values[0].lower.new_zeros(())
        for v, factor in zip(values, self.factors, strict=True):
            copies = math.prod(self.call.shape) // max(1, v.lower[0].numel())
            owed = owed + gamma(copies + 8, owed.dtype) * abs(factor) * v.reach
            if self.pays and v.owed is not None:
                owed = owed + abs(factor) * v.owed
        return owed

    def backward(
        self, forms: Forms, values: Sequence[Interval]
    ) -> tuple[list[Forms], Tensor | float]:
        """The same coefficients for both."""
        out: list[Forms] = []
        for v, factor in zip(values, self.factors, strict=True):
            part = forms if factor == 1 else forms.scaled(torch.tensor(factor))
            shape = v.lower.shape[1:]
            out.append(part if shape == self.call.shape else _summed_to(part.dense(), shape))
        return out, 0.0


class Weighted(Step):
    """A product with a matrix, or a convolution: weights of both signs."""

    def __init__(self, call: Call, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(call)
        self.weight, self.bias, self.sizes = weight, bias, weight.abs()

    terms: tuple[int, int]  # how many products are added up, forwards and backwards

    @abstractmethod
    def product(self, weight: Tensor, x: Tensor, bias: Tensor | None = None) -> Tensor:
        """The operation with these weights."""

    @abstractmethod
    def shift(self) -> Tensor:
        """The bias, shaped to be added."""

    @abstractmethod
    def magnitude(self, reach: Tensor) -> Tensor:
        """A bound on the product with absolute weights, at little cost."""

    def interval(self, values: Sequence[Interval], eps: Tensor) -> Interval:
        """Middle and radius; lengths of the rows for a Euclidean ball."""
        (v,) = values
        slack: Tensor | float = 0.0
        debt = None
        if self.rounded:
            slack, debt = self._slack(v), partial(self._owed, v)
        if v.ball is None:
            radius = self.product(self.sizes, v.radius) + slack
            return self._around(v.middle, radius, v.mixed + 1, debt)
        if v.ball.norm == "linf":
            length = self.product(self.sizes, v.ball.spread)
        else:
            length = _root(self.product(self.weight.square(), v.ball.spread.square()))
        if v.owed is not None:  # the value is off its coordinates by as much
            slack = slack + self.magnitude(v.owed.expand(-1, *v.lower.shape[1:]))
        radius = eps.view(-1, *(1,) * (length.dim() - 1)) * length + slack
        found = self._around(v.ball.center, radius, 1, debt)
        if not v.ball.cut:
            return found
        box = self._around(v.middle, self.product(self.sizes, v.radius) + slack, 1, debt)
        return found.cut(box.lower, box.upper)

    def _slack(self, v: Interval) -> Tensor:
        """What intervals grow by."""
        size = self.magnitude(v.reach)
        if self.bias is not None:
            size = size + self.shift().abs()
        return gamma(2 * self.terms[0] + 16, size.dtype) * size

    def _owed(self, v: Interval) -> Tensor:
        forwards, backwards = self.terms
        size = self.product(self.sizes, v.reach)
        owed = gamma(forwards + backwards + 8, size.dtype) * size
        if self.bias is None:
            return owed
        many = math.prod(self.call.shape)
        return owed + gamma(forwards + many + 8, size.dtype) * self.shift().abs()

    def _around(
        self, x: Tensor, radius: Tensor, mixed: int, debt: Callable[[], Tensor] | None
    ) -> Interval:
        middle = self.product(self.weight, x, self.bias)
        return Interval(middle - radius, middle + radius, min(mixed, 2), debt=debt)


def _root(squares: Tensor) -> Tensor:
    """Of sums of squares; with derivative 0, not infinity, where nothing is added up."""
    some = squares > 0
    return torch.where(some, squares, 1.0).sqrt() * some


def _with_axes(t: Tensor, axes: int) -> Tensor:
    return t.reshape((1,) * (axes - t.dim()) + tuple(t.shape))


def _summed_to(rows: Rows, shape: Sequence[int]) -> Rows:
    """Undo broadcasting: coefficients of repeated entries add up."""
    return rows.with_a(rows.a.sum_to_size(len(rows.a), *shape))
