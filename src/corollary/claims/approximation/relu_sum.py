r"""A continuous piecewise-linear function is a sum of ReLUs.

With m affine pieces, breakpoints :math:`x_1<\dots<x_{m-1}`, first slope a and jumps of slope
:math:`c_i`,

.. math:: g(x)=ax+b+\sum_{i=1}^{m-1}c_i\,(x-x_i)_+ ,

and the affine part is two more ReLUs: :math:`m+1` hidden units in all.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorem 2.11; Lebesgue (1898), Sur
    l'approximation des fonctions.
:kind: construction
:covers: pl-as-relu-sum
:erratum: [missing hypothesis] Continuity is not stated; the counterexample here is a function with
    a jump, which no finite ReLU sum meets. "A sum of m - 1 ReLUs" also leaves out the affine part
    ax + b.
:scale-free: Theory draws the function, and the sum is exact for every one.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, option
from corollary.models.approximators.relu_sums import pl_to_relu
from corollary.theory.expressivity.piecewise import PiecewiseLinear, random_piecewise


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # function
    g: PiecewiseLinear  # piecewise linear, with its values at the knots
    x: Float[Tensor, " n"]  # points


def jump(given: Given) -> Tensor:
    """The largest jump at zero and at the knots."""
    at = torch.cat([given.g.knots, given.g.knots.new_zeros(1)])
    return (given.f(at) - given.f(at - 1e-12)).abs().max()


def bend(given: Given) -> Tensor:
    """How far f is from straight in the middle of each piece."""
    k = given.g.knots
    a, b = torch.cat([k[:1] - 1, k]), torch.cat([k, k[-1:] + 1])
    return (given.f((a + b) / 2) - (given.f(a) + given.f(b)) / 2).abs().max()


class ReluSum(Claim[Given]):
    pieces: int = option(8, low=2, high=200)  # m

    relation = equals(ulps=2**20, scale=1.0)  # slopes between drawn knots reach the thousands
    supposes = (
        Suppose(
            "f is continuous",
            lambda g: 1e-6 - jump(g),
            "No finite sum of ReLUs equals a function with a jump.",
            f=lambda g: lambda x: g.g(x) + (x >= 0).to(x.dtype),
        ),
        Suppose(
            "f is straight between the knots",
            lambda g: 1e-6 - bend(g),
            "No finite sum of ReLUs equals a parabola.",
            f=lambda g: lambda x: g.g(x) + x**2,
        ),
    )
    symbols = "f(x), and m + 1", "ReLU network, and its units"
    shows = Along("A piecewise-linear function as a sum of ReLUs", x="x", y="f(x)", at="x")

    def given(self, rng: Generator) -> Given:
        g = random_piecewise(self.pieces, rng=rng)
        x = torch.cat([torch.linspace(-1.5, 1.5, 61, dtype=torch.float64), g.knots])
        return Given(g, g, x.sort().values)

    def predict(self, given: Given) -> list[float]:
        return [*given.f(given.x).tolist(), given.g.pieces + 1]

    def measure(self, given: Given) -> list[float]:
        net = pl_to_relu(given.g)
        return [*net(given.x[:, None]).tolist(), net.units]
