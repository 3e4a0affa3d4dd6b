r"""Power series of the two-layer Gram matrix.

With :math:`\arccos u = \pi/2 - \arcsin u` the entries of :math:`H^\infty` have the series

.. math:: h(u) = \frac u4 + \frac1{2\pi}\sum_{l\ge0}\frac{(2l)!}{4^l(l!)^2}\frac{u^{2l+2}}{2l+1},

all of whose coefficients are positive. Every term is a positive semi-definite kernel, so
:math:`H^\infty \succeq \frac14XX^\top`.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 7, Exercise 2a; Arora et al. (2019),
    "Fine-grained analysis of optimization and generalization for overparameterized two-layer
    neural networks", Section 6.
:kind: limit
:cost: instant
:covers: ntk-two-layer-series
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Series, converges, option
from corollary.theory.kernels.two_layer import h_series

TERMS = (1, 2, 4, 8, 16, 32)


class Given(NamedTuple):
    """The inner product of two inputs."""

    u: float


class HInfinitySeries(Claim[Given]):
    u: float = option(0.9, low=-1.0, high=1.0)  # inner product of unit inputs
    relation = converges(gap=1e-3)  # 32 terms at |u| = 1 leave 3e-3 / sqrt(32); far less inside

    def given(self, rng: Generator) -> Given:
        """The inner product asked for."""
        return Given(self.u)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A correlation."""
        yield Hypothesis("the inputs have length 1, so |u| <= 1", abs(given.u) <= 1, f"{given.u:g}")

    def predict(self, given: Given) -> float:
        """The closed form."""
        u = max(-1.0, min(1.0, given.u))
        return given.u * (math.pi - math.acos(u)) / (2 * math.pi)

    def measure(self, given: Given) -> Series:
        """Partial sums."""
        u = torch.tensor(given.u, dtype=torch.float64)
        return Series(TERMS, [float(h_series(u, terms)) for terms in TERMS])

    def counterexample(self, rng: Generator) -> Given:
        """Longer inputs: the series leaves its disc of convergence."""
        return Given(1.3)

    def figure(self, given: Given) -> Figure:
        """Partial sums over the correlation."""
        u = torch.linspace(-1, 1, 201, dtype=torch.float64)
        exact = [self.predict(Given(float(v))) for v in u]
        sums = [
            Curve(h_series(u, terms), x=u, label=f"{terms} terms", role="measured", dashed=True)
            for terms in (0, 1, 4)
        ]
        return Figure(
            "Power series of H∞",
            x="u",
            y="h(u)",
            marks=(Curve(exact, x=u, label="closed form", role="predicted"), *sums),
        )
