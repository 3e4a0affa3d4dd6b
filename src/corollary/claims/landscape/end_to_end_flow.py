r"""End-to-end dynamics of deep linear networks.

If the layers start balanced, the product :math:`W=W_L\cdots W_1` moves along the gradient flow of
:math:`\frac1{2L}\|W-W^*\|_F^2` by an equation of its own,

.. math:: \dot W=\frac1L\sum_{k=1}^L[WW^\top]^{\frac{L-k}L}\,(W^*-W)\,[W^\top W]^{\frac{k-1}L} :

depth preconditions the flow by powers of the product itself. Compared are the end points of the
layers' flow and of this equation, along two random directions and in distance to the target, at
eight times.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.4, Problem 1e) and f); Arora, Cohen
    and Hazan (2018), "On the optimization of deep networks", Theorem 1.
:kind: theorem
:uses: svd_alignment
:covers: end-to-end-flow
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Parity, Suppose, equals, normal, option
from corollary.core.relations import EPS
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    balanced_layers,
    balancedness,
    end_to_end_flow,
)


class Given(NamedTuple):
    target: Tensor
    layers: list[Tensor]
    ways: Tensor  # (2, d, d), directions to look along


def uneven(given: Given) -> Given:
    """If the layers start with different norms, their product follows another path."""
    first, second, *rest = given.layers
    return given._replace(layers=[first / 4, 4 * second, *rest])


class EndToEndFlow(Claim[Given]):
    d: int = option(3, low=2, high=10)  # size of the matrices
    L: int = option(3, low=2, high=5)  # layers
    T: float = option(2.0, low=0.1, high=5.0)  # time
    steps: int = option(80, low=40, high=1000)  # steps of the Runge-Kutta method

    relation = equals(ulps=3e-7 / EPS, scale=0.1)  # both integrations, fourth order in the step
    supposes = Suppose(
        "the layers start balanced",
        lambda g: 1e-10 - max(D.norm() for D in balancedness(g.layers)),
        without=uneven,
    )
    symbols = "by the equation of the product", "by the layers"
    shows = (
        Along(
            "The product of the layers follows a closed equation", x="t", y="‖W − W*‖", at="times"
        ),
        Parity("Distance, and two directions"),
    )

    @property
    def times(self) -> list[float]:
        """When the two are compared."""
        return [self.T * i / 8 for i in range(1, 9)]

    def given(self, rng: Generator) -> Given:
        target, start, *ways = normal(rng, 4, self.d, self.d)
        start = 0.3 * torch.eye(self.d, dtype=torch.float64) + 0.2 * start / self.d**0.5
        layers = balanced_layers(start, self.L, rng=rng)
        return Given(target / self.d**0.5, layers, torch.stack(ways))

    def predict(self, given: Given) -> Tensor:
        start = product(given.layers)
        path = end_to_end_flow(start, given.target, self.L, self.T, steps=self.steps)
        return numbers(path, given)

    def measure(self, given: Given) -> Tensor:
        path = MatrixSensing(given.target).flow(given.layers, self.T, steps=self.steps)
        return numbers([product(Ws) for Ws in path], given)


def numbers(path: list[Tensor], given: Given) -> Tensor:
    """Distances to the target at eight times, then the part along each direction."""
    W = torch.stack(path[:: len(path) // 8][1:])
    distance = (W - given.target).norm(dim=(1, 2))
    return torch.cat([distance, torch.einsum("tij,wij->wt", W, given.ways).flatten()])
