r"""Convolutions whose second derivatives are fast on processors.

For :math:`y=w*x+b` and the gradient g of y, let :math:`g\star w` and :math:`g\star x` be the
gradients of x and w. Both are linear in g and in the other factor, so their product with
:math:`(v_x,v_w,v_b)` has the derivatives

.. math:: \partial_g=w*v_x+v_w*x+v_b,\qquad\partial_x=g\star v_w,\qquad\partial_w=g\star v_x:

two convolutions, and one backward pass of a convolution for the rest. Torch 2.13 writes the last
term as a convolution whose kernel is as large as the image, for which processors have no fast code.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd import Function
from torch.overrides import TorchFunctionMode

AXES = {torch.conv1d: 1, torch.conv2d: 2, torch.conv3d: 3}
Gradients = tuple[Tensor | None, Tensor | None, Tensor | None]


class Shape(NamedTuple):
    """Everything but the tensors."""

    stride: list[int]
    padding: list[int]
    dilation: list[int]
    groups: int

    def product(self, x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
        """The convolution itself."""
        nothing = [0] * len(self.stride)
        return torch.convolution(x, w, b, *self[:3], False, nothing, self.groups)

    def adjoints(self, g: Tensor, x: Tensor, w: Tensor, wanted: Sequence[bool]) -> Gradients:
        """Gradients of x, w and b; None where it is not wanted."""
        nothing = [0] * len(self.stride)
        rest = (*self[:3], False, nothing, self.groups, list(wanted))
        found: Gradients = torch.ops.aten.convolution_backward(g, x, w, [len(w)], *rest)
        return found


class FastConvolutions(TorchFunctionMode):
    """Inside, convolutions of a batch of images on a processor are :class:`Convolution`.

    Example:
        >>> x = torch.ones(1, 1, 3, 3, requires_grad=True)
        >>> with FastConvolutions():
        ...     y = torch.nn.Conv2d(1, 1, 2)(x)
        >>> y.grad_fn.name()
        'ConvolutionBackward'
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Every call of torch passes here."""
        if func in AXES:
            return _convolved(func, *args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def _convolved(
    func: Callable[..., Tensor],
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | str | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    axes, device = AXES[func], input.device.type
    named, single = isinstance(padding, str), input.ndim != axes + 2
    if named or single or device != "cpu" or torch.is_autocast_enabled(device):
        return func(input, weight, bias, stride, padding, dilation, groups)
    assert not isinstance(padding, str)
    each = _per_axis(stride, axes), _per_axis(padding, axes), _per_axis(dilation, axes)
    y: Tensor = Convolution.apply(input, weight, bias, Shape(*each, groups))  # type: ignore[no-untyped-call]  # of torch
    return y


def _per_axis(sizes: int | Sequence[int], axes: int) -> list[int]:
    """One number for each axis; torch takes a single one for all."""
    given = [sizes] if isinstance(sizes, int) else list(sizes)
    return given * axes if len(given) == 1 else given


class Convolution(Function):
    """``y = w * x + b``."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, w: Tensor, b: Tensor | None, shape: Shape) -> Tensor:
        """As torch does it."""
        return shape.product(x, w, b)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep both factors."""
        x, w, _, ctx.shape = inputs
        ctx.save_for_backward(x, w)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        """The adjoint products."""
        x, w = ctx.saved_tensors
        found = Adjoints.apply(g, x, w, ctx.shape, ctx.needs_input_grad[:3])  # type: ignore[no-untyped-call]  # of torch
        return *found, None


class Adjoints(Function):
    """The gradients of a convolution."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        g: Tensor, x: Tensor, w: Tensor, shape: Shape, wanted: tuple[bool, ...]
    ) -> Gradients:
        """As torch does it."""
        return shape.adjoints(g, x, w, wanted)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep all three factors."""
        g, x, w, ctx.shape, _ = inputs
        ctx.save_for_backward(g, x, w)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *v: Tensor | None) -> tuple[Tensor | None, ...]:
        """See the module."""
        (g, x, w), (vx, vw, vb), shape = ctx.saved_tensors, v, ctx.shape
        of_g, of_x, of_w = ctx.needs_input_grad[:3]
        dg = None
        if of_g:
            terms = [] if vx is None else [shape.product(vx, w, None)]
            terms += [] if vw is None else [shape.product(x, vw, None)]
            terms += [] if vb is None else [vb.view(-1, *(1,) * (g.ndim - 2)).expand_as(g)]
            dg = sum(terms[1:], terms[0]) if terms else None
        wanted = (of_x and vw is not None, of_w and vx is not None, False)
        a, b = x if vx is None else vx, w if vw is None else vw
        dx, dw, _ = shape.adjoints(g, a, b, wanted) if any(wanted) else (None,) * 3
        return dg, dx, dw, None, None
