r"""The gradients of a convolution are convolutions.

For a layer :math:`y=h\star x+b` and :math:`\delta=\partial L/\partial y`

.. math:: \frac{\partial L}{\partial h}=\delta\star x,\qquad
   \frac{\partial L}{\partial x}=h*\delta\ \text{(full)},\qquad
   \frac{\partial L}{\partial b}=\sum\delta ,

summed over the batch and over the channels on the other side. Zeros around x are put there before
and cut off the gradient after.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.3; Perez Jensen (2025), Deep
    Learning, Section 4.2, which leaves the gradients open.
:kind: identity
:uses: shared_weight_gradient, kernel_flip
:covers: conv-layer-gradients
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.architectures.conv_gradients import conv_backward


class Given(NamedTuple):
    """Images with their border, a layer, and the gradient of its output."""

    x: Float[Tensor, "n c s s"]
    h: Float[Tensor, "m c k k"]
    delta: Float[Tensor, "n m t t"]
    border: str

    def padded(self, x: Tensor) -> Tensor:
        """The images with one pixel more on each side."""
        return functional.pad(x, [1] * 4, mode=self.border)


def zeros_around(given: Given) -> tuple[bool, str]:
    """Whether the padded images are as large as the images."""
    added = float(given.padded(given.x).abs().sum() - given.x.abs().sum())
    return abs(added) < 1e-9, f"sizes beyond the border add up to {added:.2g}"


class ConvolutionGradients(Claim[Given]):
    n: int = option(2, low=1, high=20)  # images
    c: int = option(2, low=1, high=8)  # channels in
    m: int = option(3, low=1, high=8)  # channels out
    size: int = option(7, low=5, high=32)  # side of an image

    relation = equals(ulps=2**12, scale=1.0)  # sums of some hundred products of size one
    supposes = Suppose(
        "beyond the border are zeros",
        zeros_around,
        "With circular padding, gradients also come from the opposite border.",
        border="circular",
    )
    symbols = "formula", "automatic differentiation"
    shows = Parity("Gradients of a convolutional layer")

    def given(self, rng: Generator) -> Given:
        s, h = self.size, normal(rng, self.m, self.c, 3, 3)
        x, delta = normal(rng, self.n, self.c, s, s), normal(rng, self.n, self.m, s, s)
        return Given(x, h, delta, "constant")

    def predict(self, given: Given) -> Tensor:
        gradients = conv_backward(given.x, given.h, given.delta, padding=1)
        return torch.cat([g.flatten() for g in gradients])

    def measure(self, given: Given) -> Tensor:
        x, h = given.x.clone().requires_grad_(), given.h.clone().requires_grad_()
        b = given.h.new_zeros(len(h)).requires_grad_()
        y = functional.conv2d(given.padded(x), h, b)
        return torch.cat([g.flatten() for g in torch.autograd.grad(y, (x, h, b), given.delta)])
