r"""Concentration of the two-layer Gram matrix.

For unit inputs and :math:`w_r \sim N(0, I)` the Gram matrix of the first layer's gradients
concentrates around its mean,

.. math:: H_{ij} = \langle x_i, x_j\rangle\frac1m\sum_r1[w_r\cdot x_i>0,\,w_r\cdot x_j>0], \qquad
          H^\infty_{ij} = \langle x_i, x_j\rangle\frac{\pi - \arccos\langle x_i, x_j\rangle}{2\pi},

with :math:`\|H - H^\infty\| = O(m^{-1/2})`.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 1d; Du, Zhai, Poczos and
    Singh (2019), "Gradient descent provably optimizes over-parameterized neural networks", Lemma
    3.1.
:kind: rate
:uses: two_layer_gram, relu_expectations
:covers: ntk-two-layer-infinite
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.linalg import matrix_norm

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.theory.kernels.two_layer import h_infinity


class Given(NamedTuple):
    """Inputs, and weights for the widest network: narrower ones take the first of them."""

    x: Float[Tensor, "n d"]
    w: Float[Tensor, "draws m d"]


def mean_of_weights(given: Given) -> tuple[bool, str]:
    """The mean of each coordinate of the weights is within five standard errors of 0."""
    w = given.w.flatten(0, 1)
    z = float((w.mean(dim=0) * len(w) ** 0.5).abs().max())
    return z < 5, f"mean of a coordinate: at most {z:.2g} standard errors"


class HInfinity(Claim[Given]):
    widths: tuple[int, ...] = (50, 100, 200, 400, 800)  # hidden units
    n: int = option(10, low=2, high=100)  # inputs
    d: int = option(4, low=2, high=50)  # dimension
    draws: int = option(160, low=4, high=1000)  # networks at each width

    relation = slope(gap=0.15)  # 160 networks leave 0.02 in the fitted slope
    supposes = (
        Suppose(
            "the inputs have length 1", lambda g: bool((g.x.norm(dim=1) - 1).abs().max() < 1e-9)
        ),
        Suppose(
            "the weights are centred",
            mean_of_weights,
            "If the weights have a mean, some inputs activate more units than others, at any "
            "width.",
            w=lambda g: g.w + torch.eye(g.w.shape[-1], dtype=g.w.dtype)[0],
        ),
    )
    symbols = "m^(-1/2)", "‖H - H∞‖"
    predicts = -0.5
    shows = Over("Gram matrix of the first layer", x="width m")

    def given(self, rng: Generator) -> Given:
        x = normal(rng, self.n, self.d)
        w = normal(rng, self.draws, max(self.widths), self.d)
        return Given(x / x.norm(dim=1, keepdim=True), w)

    def measure(self, given: Given) -> Series:
        limit, products = h_infinity(given.x), given.x @ given.x.T
        on = (given.w @ given.x.T > 0).to(given.x.dtype)  # (draws, m, n)
        grams = (products * (on[:, :m].mT @ on[:, :m]) / m for m in self.widths)
        return Series(self.widths, [matrix_norm(h - limit, 2).mean() for h in grams])
