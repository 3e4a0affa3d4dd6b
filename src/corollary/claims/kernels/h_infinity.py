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
:cost: instant
:covers: ntk-two-layer-infinite
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.core import Claim, Figure, Hypothesis, Series, generator, option, slope
from corollary.theory.kernels.two_layer import h_infinity


class Given(NamedTuple):
    """Inputs, a seed for the weights, and their mean."""

    x: Float[Tensor, "n d"]
    seed: int
    shift: float  # added to the first coordinate of every weight


@dataclass(frozen=True)
class HInfinity(Claim[Given]):
    """The distance in operator norm, averaged over draws, over the width."""

    widths: tuple[int, ...] = (100, 200, 400, 800, 1600)  # hidden units
    n: int = option(10, low=2, high=100)  # inputs
    d: int = option(4, low=2, high=50)  # dimension
    draws: int = option(40, low=4, high=1000)  # networks at each width
    relation = slope(gap=0.15)  # forty networks leave 0.05 in the fitted slope

    def given(self, rng: Generator) -> Given:
        """Random directions."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        x = x / x.norm(dim=1, keepdim=True)
        return Given(x, int(torch.randint(2**40, (), generator=rng)), 0.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Unit inputs, centred weights."""
        yield Hypothesis(
            "the inputs have length 1", bool(((given.x.norm(dim=1) - 1).abs() < 1e-9).all())
        )
        yield Hypothesis("the weights are standard normal", given.shift == 0.0)

    def predict(self, given: Given) -> float:
        """The exponent of a mean of m terms."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Mean distances at each width."""
        return Series(self.widths, self._distances(given))

    def counterexample(self, rng: Generator) -> Given:
        """Weights with a mean see some inputs more than others, at any width."""
        return self.given(rng)._replace(shift=1.0)

    def figure(self, given: Given) -> Figure:
        """The decay."""
        return rate_figure(
            "Gram matrix of the first layer", self.widths, self._distances(given), -0.5,
            "width m", "‖H - H∞‖",
        )  # fmt: skip

    def _distances(self, given: Given) -> list[float]:
        limit, products = h_infinity(given.x), given.x @ given.x.T
        found = []
        for m in self.widths:
            rng = generator(given.seed, "weights", m)
            w = torch.randn(self.draws, m, given.x.shape[1], generator=rng, dtype=given.x.dtype)
            w[..., 0] += given.shift
            on = (w @ given.x.T > 0).to(w.dtype)  # (draws, m, n)
            h = products * (on.mT @ on) / m
            found.append(float(torch.linalg.matrix_norm(h - limit, 2).mean()))
        return found
