r"""Power series of the two-layer Gram matrix.

With :math:`\arccos u = \pi/2 - \arcsin u` the entries of :math:`H^\infty` have the series

.. math:: h(u) = \frac u4 + \frac1{2\pi}\sum_{l\ge0}\frac{(2l)!}{4^l(l!)^2}\frac{u^{2l+2}}{2l+1},

all of whose coefficients are positive. Every term is a positive semi-definite kernel, so
:math:`H^\infty \succeq \frac14XX^\top`.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 2a; Arora et al. (2019),
    "Fine-grained analysis of optimization and generalization for overparameterized two-layer
    neural networks", Section 6.
:kind: limit
:uses: h_infinity
:covers: ntk-two-layer-series
"""

import math

import torch
from torch import Generator

from corollary.core import Claim, Over, Series, Suppose, converges, option
from corollary.theory.kernels.two_layer import h_series


class HInfinitySeries(Claim[float]):
    u: float = option(0.9, low=-1.0, high=1.0)  # inner product of unit inputs
    terms: tuple[int, ...] = (1, 2, 4, 8, 16, 32)  # terms of the series

    relation = converges(gap=1e-3)  # 32 terms at |u| = 1 leave 3e-3 / sqrt(32); far less inside
    supposes = Suppose(
        "the inputs have length 1, so |u| ≤ 1",
        lambda u: (abs(u) <= 1, f"u = {u:g}"),
        "For longer inputs, the series diverges.",
        lambda: 1.3,
    )
    symbols = "h(u)", "partial sum"
    shows = Over("Power series of H∞", x="terms")

    def given(self, rng: Generator) -> float:
        return self.u

    def predict(self, given: float) -> float:
        angle = math.acos(max(-1.0, min(1.0, given)))
        return given * (math.pi - angle) / (2 * math.pi)

    def measure(self, given: float) -> Series:
        u = torch.tensor(given, dtype=torch.float64)
        return Series(self.terms, [float(h_series(u, terms)) for terms in self.terms])
