r"""End-to-end dynamics of deep linear networks.

If the layers start balanced, the product :math:`W=W_L\cdots W_1` moves along the gradient flow of
:math:`\frac1{2L}\|W-W^*\|_F^2` by an equation of its own,

.. math:: \dot W=\frac1L\sum_{k=1}^L[WW^\top]^{\frac{L-k}L}\,(W^*-W)\,[W^\top W]^{\frac{k-1}L} :

depth preconditions the flow by powers of the product itself. Compared are the end points of the
layers' flow and of this equation, along two random directions and in norm, at four times.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1e) and f); Arora, Cohen
    and Hazan (2018), "On the optimization of deep networks", Theorem 1.
:kind: theorem
:cost: instant
:covers: end-to-end-flow
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.core.relations import EPS
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    balanced_layers,
    balancedness,
    end_to_end_flow,
)


class Given(NamedTuple):
    """Target, layers, and directions to look along."""

    target: Tensor
    layers: list[Tensor]
    ways: Tensor  # (2, d, d)


class EndToEndFlow(Claim[Given]):
    d: int = option(3, low=2, high=10)  # size of the matrices
    L: int = option(3, low=2, high=5)  # layers
    T: float = option(2.0, low=0.1, high=5.0)  # time
    steps: int = option(80, low=40, high=1000)  # of the Runge-Kutta method
    relation = equals(ulps=1e-5 / EPS, scale=0.1)  # both integrations, fourth order in the step

    def given(self, rng: Generator) -> Given:
        """A target of size one and a balanced start."""
        draw = torch.randn(4, self.d, self.d, generator=rng, dtype=torch.float64)
        start = 0.3 * torch.eye(self.d, dtype=torch.float64) + 0.2 * draw[1] / self.d**0.5
        layers = balanced_layers(start, self.L, rng=rng)
        return Given(draw[0] / self.d**0.5, layers, draw[2:])

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Balanced at the start."""
        off = max((float(D.norm()) for D in balancedness(given.layers)), default=0.0)
        yield Hypothesis("the layers start balanced", off < 1e-10, f"difference {off:.3g}")

    def predict(self, given: Given) -> list[float]:
        """By the equation for the product."""
        start = product(given.layers)
        path = end_to_end_flow(start, given.target, self.L, self.T, steps=self.steps)
        return [n for W in path[:: len(path) // 4][1:] for n in _numbers(W, given.ways)]

    def measure(self, given: Given) -> list[float]:
        """By the layers."""
        path = MatrixSensing(given.target).flow(given.layers, self.T, steps=self.steps)
        return [n for Ws in path[:: len(path) // 4][1:] for n in _numbers(product(Ws), given.ways)]

    def counterexample(self, rng: Generator) -> Given:
        """The same product from layers of different size: 4 W₂ and W₁/4."""
        given = self.given(rng)
        first, second, *rest = given.layers
        return given._replace(layers=[first / 4, 4 * second, *rest])

    def figure(self, given: Given) -> Figure:
        """The distance to the target, with and without balance."""
        sensing, start = MatrixSensing(given.target), product(given.layers)
        first, second, *rest = given.layers
        uneven = [first / 4, 4 * second, *rest]
        t = [self.T * i / self.steps for i in range(self.steps + 1)]
        theory = end_to_end_flow(start, given.target, self.L, self.T, steps=self.steps)
        run = [product(Ws) for Ws in sensing.flow(given.layers, self.T, steps=self.steps)]
        other = [product(Ws) for Ws in sensing.flow(uneven, self.T, steps=self.steps)]

        def distance(path: list[Tensor]) -> list[float]:
            return [float((W - given.target).norm()) for W in path]

        return Figure(
            "The product follows an equation of its own",
            x="t",
            y="‖W − W*‖",
            marks=(
                Curve(distance(run), x=t, label="balanced layers"),
                Curve(
                    distance(theory),
                    x=t,
                    label="own equation",
                    role="predicted",
                    dashed=True,
                ),
                Curve(distance(other), x=t, label="same product, not balanced", role="other"),
            ),
        )


def _numbers(W: Tensor, ways: Tensor) -> list[float]:
    return [float(W.norm()), *(float((W * way).sum()) for way in ways)]
