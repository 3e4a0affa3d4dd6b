r"""A shared weight collects the gradients of its copies.

A valid convolution :math:`y=Wx` with a kernel of K entries is a matrix :math:`W\in
\mathbb{R}^{(D-K+1)\times D}` with :math:`W_{ij}=h_{K+i-j}`: each of K weights stands in D - K + 1
places, on one diagonal, and all else is zero. For every loss

.. math:: \frac{\partial L}{\partial h_k}=\sum_{i}\frac{\partial L}{\partial W_{i,\,i+K-k}} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.1 and Exercise 1 of Chapter 10;
    Perez Jensen (2025), Deep Learning, Sections 4.1 and 4.2.
:kind: identity
:cost: instant
:covers: toeplitz-convolution-matrix, convolution-parameter-sharing
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, HeatMap, Hypothesis, Points, equals, option
from corollary.theory.architectures.sliding import convolution
from corollary.theory.architectures.toeplitz import is_toeplitz, sharing_report, toeplitz


class Given(NamedTuple):
    """A kernel, a matrix, an input, and the output that is wanted."""

    h: Float[Tensor, " K"]
    W: Float[Tensor, "m D"]
    x: Float[Tensor, " D"]
    y: Float[Tensor, " m"]


@dataclass(frozen=True)
class SharedWeightGradient(Claim[Given]):
    """The gradient of a kernel against diagonal sums of the gradient of a matrix."""

    D: int = option(20, low=4, high=500)  # inputs
    K: int = option(4, low=2, high=4)  # entries of the kernel
    relation = equals(ulps=4096, scale=1.0)  # sums of D - K + 1 products

    def given(self, rng: Generator) -> Given:
        """A kernel and its matrix; the loss is a squared distance to y."""
        h = torch.randn(self.K, generator=rng, dtype=torch.float64)
        x = torch.randn(self.D, generator=rng, dtype=torch.float64)
        y = torch.randn(self.D - self.K + 1, generator=rng, dtype=torch.float64)
        return Given(h, toeplitz(h, self.D, "valid"), x, y)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Sharing."""
        yield Hypothesis("W is constant along each diagonal", is_toeplitz(given.W))

    def predict(self, given: Given) -> list[float]:
        """Sums along the diagonals of the gradient of the matrix."""
        G = self._dense_gradient(given)
        return [float(G.diagonal(self.K - 1 - k).sum()) for k in range(self.K)]

    def measure(self, given: Given) -> list[float]:
        """The gradient of the kernel, through the convolution."""
        h = given.h.clone().requires_grad_()
        loss = (convolution(given.x, h, "valid") - given.y).square().mean() / 2
        return torch.autograd.grad(loss, h)[0].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A matrix whose rows grow: the copies are no longer equal."""
        given = self.given(rng)
        gain = torch.linspace(1, 3, len(given.W), dtype=torch.float64)
        return given._replace(W=gain[:, None] * given.W)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The matrix, and the two gradients."""
        m, D = given.W.shape
        box = HeatMap(given.W.flip(0).tolist(), x=(0.0, float(D)), y=(0.0, float(m)),
                      label="entries of W")  # fmt: skip
        count = sharing_report(D, self.K)
        title = f"{count.dense} entries, {count.convolution} weights, each {count.reuse} times"
        places = list(range(1, self.K + 1))
        marks = (
            Curve(self.predict(given), x=places, label="sum along the diagonal of ∂L/∂W",
                  role="predicted"),
            Points(places, self.measure(given), label="∂L/∂h"),
        )  # fmt: skip
        return (
            Figure(title, x="input j", y="output i, from below", marks=(box,), equal=True),
            Figure("The gradient of a shared weight", x="k", y="∂L/∂h_k", marks=marks),
        )

    def _dense_gradient(self, given: Given) -> Tensor:
        W = given.W.clone().requires_grad_()
        loss = (W @ given.x - given.y).square().mean() / 2
        return torch.autograd.grad(loss, W)[0]
