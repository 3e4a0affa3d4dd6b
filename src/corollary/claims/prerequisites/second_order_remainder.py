r"""Second-order expansion with integral remainder.

For twice continuously differentiable f

.. math:: f(x+y)=f(x)+\nabla f(x)^\top y+\int_0^1(1-t)\,y^\top H(x+ty)\,y\,dt.

The weight :math:`1-t` counts curvature near the start for more. Replacing it by its mean
:math:`\frac12` is right only when the curvature along the segment does not change.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, (1.17).
:kind: identity
:uses: mean_value
:covers: second-order-integral-remainder
:erratum: [wrong] (1.17) weights the curvature by 1/2 where it must be 1 - t. For f = x^3 and
    x = y = 1 the true value is 8, the notes' is 8.5.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal
from corollary.theory.prerequisites.increments import second_order_increment


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]  # start
    y: Float[Tensor, " d"]  # direction, of length 1
    weight: Callable[[float], float]  # of the curvature at x + ty


class SecondOrderRemainder(Claim[Given]):
    d: int = 5  # dimension
    m: int = 6  # width of the small network that is expanded
    lengths: tuple[float, ...] = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5)  # lengths of the increments

    relation = equals(ulps=2**16, scale=1.0)  # 32 nodes integrate tanh along such steps to 1e-12
    supposes = Suppose(
        "the curvature at x + ty is weighted by 1 - t",
        lambda g: all(abs(g.weight(t) - (1 - t)) < 1e-12 for t in (0.0, 0.25, 0.5, 1.0)),
        "The notes' weight 1/2 is right only for constant curvature.",
        weight=lambda g: lambda t: 0.5,
    )
    symbols = "f(x + y)", "its expansion"
    rows = "length {lengths}"
    shows = Along("The curvature is weighted by 1 − t", x="length of y", at="lengths")

    def given(self, rng: Generator) -> Given:
        w, a = normal(rng, self.m, self.d) / self.d**0.5, normal(rng, self.m)
        x, y = normal(rng, 2, self.d)
        return Given(lambda x: a @ torch.tanh(w @ x), x, y / y.norm(), lambda t: 1 - t)

    def predict(self, given: Given) -> list[float]:
        return [float(given.f(given.x + s * given.y)) for s in self.lengths]

    def measure(self, given: Given) -> list[float]:
        f, x, y, weight = given
        return [second_order_increment(f, x, s * y, weight=weight) for s in self.lengths]
