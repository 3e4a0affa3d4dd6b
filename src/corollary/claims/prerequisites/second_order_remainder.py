r"""Second-order expansion with integral remainder.

For twice continuously differentiable f

.. math:: f(x+y)=f(x)+\nabla f(x)^\top y+\int_0^1(1-t)\,y^\top H(x+ty)\,y\,dt.

The weight :math:`1-t` counts curvature near the start for more. Replacing it by its mean
:math:`\frac12` is right only when the curvature along the segment does not change.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, (1.17).
:kind: identity
:cost: instant
:covers: second-order-integral-remainder
:erratum: [wrong] (1.17) weights the curvature by 1/2 where it must be 1 - t. For f = x^3 and
    x = y = 1 the true value is 8, the notes' is 8.5.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.theory.prerequisites.increments import second_order_increment


class Given(NamedTuple):
    """A function, a segment, and the weight of the curvature along it."""

    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]
    y: Float[Tensor, " d"]
    weight: Callable[[float], float]


class SecondOrderRemainder(Claim[Given]):
    d: int = 5  # dimension
    m: int = 6  # width of the small network that is expanded
    relation = equals(ulps=2**16, scale=1.0)  # 32 nodes integrate tanh along a unit step to 1e-12

    def given(self, rng: Generator) -> Given:
        """A network with one layer of tanh."""
        w = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64) / self.d**0.5
        a = torch.randn(self.m, generator=rng, dtype=torch.float64)
        x, y = torch.randn(2, self.d, generator=rng, dtype=torch.float64)
        return Given(lambda x: a @ torch.tanh(w @ x), x, y / y.norm(), _right)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The weight decides."""
        grid = (0.0, 0.25, 0.5, 1.0)
        right = all(abs(given.weight(t) - (1 - t)) < 1e-12 for t in grid)
        yield Hypothesis("the curvature at x + ty is weighted by 1 - t", right)

    def predict(self, given: Given) -> float:
        """The value at the end."""
        return float(given.f(given.x + given.y))

    def measure(self, given: Given) -> float:
        """The expansion by quadrature."""
        f, x, y, weight = given
        return second_order_increment(f, x, y, weight=weight)

    def counterexample(self, rng: Generator) -> Given:
        """The notes' weight on a cube."""
        one = torch.ones(1, dtype=torch.float64)
        return Given(lambda x: (x**3).sum(), one, one, _halved)

    def figure(self, given: Given) -> Figure:
        """Values along the ray, by both weights."""
        f, x, y, _ = given
        s = [0.25 * i for i in range(13)]
        right = [second_order_increment(f, x, t * y) for t in s]
        half = [second_order_increment(f, x, t * y, weight=_halved) for t in s]
        return Figure(
            "The curvature is weighted by 1 − t",
            x="length of y",
            y="f(x + y)",
            marks=(
                Curve([float(f(x + t * y)) for t in s], s, label="f(x + y)", role="predicted"),
                Points(s, right, label="expansion, weight 1 − t"),
                Curve(half, s, label="expansion, weight 1/2", role="other", dashed=True),
            ),
        )


def _right(t: float) -> float:
    return 1 - t


def _halved(t: float) -> float:
    return 0.5
