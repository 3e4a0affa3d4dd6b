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
:cost: instant
:covers: conv-layer-gradients
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.architectures.conv_gradients import ConvGradients, conv_backward


class Given(NamedTuple):
    """Images, a layer, the gradient of its output, and how the border is padded."""

    x: Float[Tensor, "n c s s"]
    h: Float[Tensor, "m c k k"]
    delta: Float[Tensor, "n m t t"]
    border: str


@dataclass(frozen=True)
class ConvolutionGradients(Claim[Given]):
    """Three formulas against automatic differentiation."""

    n: int = option(2, low=1, high=20)  # images
    c: int = option(2, low=1, high=8)  # channels in
    m: int = option(3, low=1, high=8)  # channels out
    size: int = option(7, low=5, high=32)  # side of an image
    relation = equals(ulps=2**12, scale=1.0)  # sums of some hundred products of size one

    def given(self, rng: Generator) -> Given:
        """Kernels of side 3, padding 1."""

        def draw(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=rng, dtype=torch.float64)

        x = draw(self.n, self.c, self.size, self.size)
        delta = draw(self.n, self.m, self.size, self.size)
        return Given(x, draw(self.m, self.c, 3, 3), delta, "constant")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The border."""
        yield Hypothesis("beyond the border are zeros", given.border == "constant")

    def predict(self, given: Given) -> list[float]:
        """The formulas."""
        return _flat(conv_backward(given.x, given.h, given.delta, padding=1))

    def measure(self, given: Given) -> list[float]:
        """Automatic differentiation of the layer."""
        return _flat(_automatic(given))

    def counterexample(self, rng: Generator) -> Given:
        """A border that meets the other side."""
        return self.given(rng)._replace(border="circular")

    def figure(self, given: Given) -> Figure:
        """One against the other."""
        true = _automatic(given)
        ours = conv_backward(given.x, given.h, given.delta, padding=1)
        span = [float(true.x.min()), float(true.x.max())]
        marks = (
            Curve(span, x=span, label="equal", role="other", dashed=True),
            Points(ours.x.flatten(), true.x.flatten(), label="∂L/∂x"),
            Points(ours.h.flatten(), true.h.flatten(), label="∂L/∂h", role="predicted"),
        )
        return Figure("Gradients of a layer", x="formula", y="automatic", marks=marks, equal=True)


def _automatic(given: Given) -> ConvGradients:
    x, h = given.x.clone().requires_grad_(), given.h.clone().requires_grad_()
    b = given.h.new_zeros(len(h)).requires_grad_()
    y = functional.conv2d(functional.pad(x, [1] * 4, mode=given.border), h, b)
    return ConvGradients(*torch.autograd.grad(y, (x, h, b), given.delta))


def _flat(gradients: ConvGradients) -> list[float]:
    return torch.cat([g.flatten() for g in gradients]).tolist()
