r"""Gradients of a convolution layer, which are convolutions again.

For :math:`y=h\star x+b` (valid correlation) and the gradient :math:`\delta=\partial L/\partial y`

.. math:: \frac{\partial L}{\partial h}=\delta\star x\ \text{(valid)},\qquad
   \frac{\partial L}{\partial x}=h*\delta\ \text{(full)},\qquad
   \frac{\partial L}{\partial b}=\sum\delta .

Over channels: the first is a correlation for each pair of channels, summed over the batch, the
second a sum over output channels. With a stride :math:`\delta` is spread first, s - 1 zeros between
its entries; padding is put around x before and cut off its gradient after.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.3; Perez Jensen (2025), Deep
    Learning, Section 4.2, which leaves the gradients open.
"""

from types import EllipsisType
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from corollary.errors import InputError
from corollary.theory.architectures.windows import conv_output_size

Window = tuple[EllipsisType | slice, ...]  # an index of all last axes


class ConvGradients(NamedTuple):
    """Gradients of the loss in all that a layer reads."""

    x: Float[Tensor, "n c *s"]
    h: Float[Tensor, "m c *k"]
    b: Float[Tensor, " m"]


def conv_backward(
    x: Float[Tensor, "n c *s"],
    h: Float[Tensor, "m c *k"],
    delta: Float[Tensor, "n m *t"],
    *,
    stride: int = 1,
    padding: int = 0,
) -> ConvGradients:
    """Gradients of a layer on signals (n, c, s) or images (n, c, s, s') from those of its output.

    Example:
        >>> import torch
        >>> x, h = torch.tensor([[[1.0, 2.0, 4.0]]]), torch.tensor([[[3.0, 5.0]]])
        >>> grads = conv_backward(x, h, torch.tensor([[[1.0, 10.0]]]))
        >>> grads.h.flatten().tolist(), grads.x.flatten().tolist(), grads.b.tolist()
        ([21.0, 42.0], [3.0, 35.0, 50.0], [11.0])

    :covers: conv-layer-gradients
    """
    axes = _checked(x, h, delta, stride, padding)
    correlate = functional.conv1d if axes == 1 else functional.conv2d
    around = functional.pad(x, [padding] * (2 * axes))
    spread = _spread(delta, stride)
    # The places that no window reached: zeros at the end, so that sizes come out.
    rest = [
        n - m - k + 1
        for n, m, k in zip(around.shape[2:], spread.shape[2:], h.shape[2:], strict=True)
    ]
    spread = functional.pad(spread, [side for r in reversed(rest) for side in (0, r)])
    dh = correlate(around.transpose(0, 1), spread.transpose(0, 1)).transpose(0, 1)
    turned = h.flip(list(range(2, h.ndim))).transpose(0, 1)
    dx = correlate(spread, turned, padding=[k - 1 for k in h.shape[2:]])
    inside: Window = (..., *(slice(padding, padding + n) for n in x.shape[2:]))
    return ConvGradients(dx[inside], dh, delta.flatten(2).sum((0, 2)))


def _spread(delta: Tensor, stride: int) -> Tensor:
    """The same numbers, ``stride`` apart, zeros between them."""
    out = delta.new_zeros(*delta.shape[:2], *((n - 1) * stride + 1 for n in delta.shape[2:]))
    places: Window = (..., *(slice(None, None, stride) for _ in delta.shape[2:]))
    out[places] = delta
    return out


def _checked(x: Tensor, h: Tensor, delta: Tensor, stride: int, padding: int) -> int:
    """The number of axes, or what does not fit."""
    axes = x.ndim - 2
    if axes not in (1, 2) or h.ndim != x.ndim or delta.ndim != x.ndim:
        raise InputError(
            "expected signals (n, c, s) or images (n, c, s, s'), got shapes "
            f"{tuple(x.shape)}, {tuple(h.shape)} and {tuple(delta.shape)}"
        )
    sizes = zip(x.shape[2:], h.shape[2:], strict=True)
    out = (len(x), len(h), *(conv_output_size(n, k, stride, padding) for n, k in sizes))
    if delta.shape != out:
        raise InputError(
            f"the output has shape {out}, but its gradient has shape {tuple(delta.shape)}"
        )
    return axes
