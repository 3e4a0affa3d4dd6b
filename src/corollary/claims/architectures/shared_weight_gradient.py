r"""The gradient of a shared weight is the sum of the gradients of its copies.

A valid convolution :math:`y=Wx` with a kernel of K entries is a matrix :math:`W\in
\mathbb{R}^{(D-K+1)\times D}` with :math:`W_{ij}=h_{K+i-j}`: each of K weights stands in D - K + 1
places, on one diagonal, and all else is zero. For every loss

.. math:: \frac{\partial L}{\partial h_k}=\sum_{i}\frac{\partial L}{\partial W_{i,\,i+K-k}} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.1 and Exercise 1 of Chapter 10;
    Perez Jensen (2025), Deep Learning, Sections 4.1 and 4.2.
:kind: identity
:uses: chain_rule
:covers: toeplitz-convolution-matrix, convolution-parameter-sharing
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import HeatMap, Marks, picture
from corollary.theory.architectures.sliding import convolution
from corollary.theory.architectures.toeplitz import is_toeplitz, sharing_report, toeplitz


class Given(NamedTuple):
    """A kernel, a matrix, an input, and the output that is wanted."""

    h: Float[Tensor, " K"]
    W: Float[Tensor, "m D"]
    x: Float[Tensor, " D"]
    y: Float[Tensor, " m"]


class SharedWeightGradient(Claim[Given]):
    D: int = option(20, low=4, high=500)  # inputs
    K: int = option(4, low=2, high=4)  # entries of the kernel

    relation = equals(ulps=4096, scale=1.0)  # sums of D - K + 1 products
    supposes = Suppose(
        "W is constant along each diagonal",
        lambda g: is_toeplitz(g.W),
        "The rows of W have different scales, so the copies of a weight are not equal.",
        W=lambda g: torch.linspace(1, 3, len(g.W), dtype=torch.float64)[:, None] * g.W,
    )
    symbols = "sum along the diagonal of ∂L/∂W", "∂L/∂h"
    shows = Along("The gradient of a shared weight", x="k", y="∂L/∂h_k", first=1)

    def given(self, rng: Generator) -> Given:
        h, x, y = (normal(rng, n) for n in (self.K, self.D, self.D - self.K + 1))
        return Given(h, toeplitz(h, self.D, "valid"), x, y)

    def predict(self, given: Given) -> list[float]:
        W = given.W.clone().requires_grad_()
        loss = (W @ given.x - given.y).square().mean() / 2
        (G,) = torch.autograd.grad(loss, W)
        return [float(G.diagonal(self.K - 1 - k).sum()) for k in range(self.K)]

    def measure(self, given: Given) -> Tensor:
        h = given.h.clone().requires_grad_()
        loss = (convolution(given.x, h, "valid") - given.y).square().mean() / 2
        return torch.autograd.grad(loss, h)[0]

    @picture(
        "A convolution as a matrix with few distinct weights",
        x="input j",
        y="output i, from below",
        equal=True,
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        W, count = trial.given.W, sharing_report(self.D, self.K)
        x, y = (0.0, float(W.shape[1])), (0.0, float(len(W)))
        label = f"{count.dense} entries, {count.convolution} weights, each {count.reuse} times"
        yield HeatMap(W.flip(0), x=x, y=y, label=label)
