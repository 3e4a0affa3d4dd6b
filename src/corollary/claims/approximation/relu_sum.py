r"""A continuous piecewise-linear function is a sum of ReLUs.

With m affine pieces, breakpoints :math:`x_1<\dots<x_{m-1}`, first slope a and jumps of slope
:math:`c_i`,

.. math:: g(x)=ax+b+\sum_{i=1}^{m-1}c_i\,(x-x_i)_+ ,

and the affine part is two more ReLUs: :math:`m+1` hidden units in all.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorem 2.11; Lebesgue (1898), Sur
    l'approximation des fonctions.
:kind: construction
:cost: instant
:covers: pl-as-relu-sum
:erratum: [missing hypothesis] Continuity is not stated; the counterexample here is a function with
    a jump, which no finite ReLU sum meets. "A sum of m - 1 ReLUs" also leaves out the affine part
    ax + b.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.approximators.relu_sums import pl_to_relu
from corollary.theory.expressivity.piecewise import PiecewiseLinear, random_piecewise


class Given(NamedTuple):
    """A continuous function, a jump at zero that is added to it, and points."""

    g: PiecewiseLinear
    jump: float
    x: Float[Tensor, " n"]


@dataclass(frozen=True)
class ReluSum(Claim[Given]):
    """Values of the network, and its number of units."""

    pieces: int = option(8, low=2, high=200)  # m
    relation = equals(ulps=2**20, scale=1.0)  # slopes between drawn knots reach the thousands

    def given(self, rng: Generator) -> Given:
        """A zig-zag, and points on and around it."""
        g = random_piecewise(self.pieces, rng=rng)
        x = 4 * torch.rand(60, generator=rng, dtype=torch.float64) - 2
        return Given(g, 0.0, torch.cat([x, g.knots]))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No jump."""
        yield Hypothesis("g is continuous", given.jump == 0, f"jump {given.jump:g}")

    def predict(self, given: Given) -> list[float]:
        """Values of g, and m + 1."""
        return [*_values(given, given.x).tolist(), given.g.pieces + 1.0]

    def measure(self, given: Given) -> list[float]:
        """Values of the network, and its units."""
        net = pl_to_relu(given.g)
        return [*net(given.x[:, None]).tolist(), float(net.units)]

    def counterexample(self, rng: Generator) -> Given:
        """A jump of 1 at zero."""
        return self.given(rng)._replace(jump=1.0)

    def figure(self, given: Given) -> Figure:
        """The function, the network and its units."""
        x = torch.linspace(-1.5, 1.5, 301, dtype=torch.float64)
        net = pl_to_relu(given.g)
        return Figure(
            f"{given.g.pieces} pieces from {net.units} ReLUs",
            x="x",
            y="g(x)",
            marks=(
                Curve(_values(given, x), x, label="g", role="predicted"),
                Points(x[::6], net(x[::6, None]).detach(), label="ReLU network"),
                Points(given.g.knots, given.g(given.g.knots), label="breakpoints", role="other"),
            ),
        )


def _values(given: Given, x: Tensor) -> Tensor:
    return given.g(x) + given.jump * (x >= 0)
