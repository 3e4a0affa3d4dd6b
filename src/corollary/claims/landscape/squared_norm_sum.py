r"""Square of a sum.

For vectors, or matrices in the Frobenius norm,

.. math:: \|x+y\|^2\le2\|x\|^2+2\|y\|^2,

and what is given away is exactly :math:`\|x-y\|^2` (the parallelogram law), so that equality means
:math:`x=y`. The constant 2 cannot be lowered. Measured along :math:`y=tx+\sqrt{1-t^2}\,\|x\|u` with
:math:`u\perp x`, from :math:`t=0` to :math:`t=1`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Proposition 47.
:kind: bound
:cost: instant
:covers: squared-norm-sum-bound
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option

STEPS = 11


class Given(NamedTuple):
    """Two orthogonal vectors of one length, and the constant of the inequality."""

    x: Float[Tensor, " d"]
    u: Float[Tensor, " d"]
    constant: float


class SquaredNormSum(Claim[Given]):
    d: int = option(6, low=2, high=1000)  # dimension
    relation = at_most(ulps=64)  # attained at t = 1, where both sides are sums of d squares

    def given(self, rng: Generator) -> Given:
        """A Gaussian vector and one orthogonal to it."""
        x, u = torch.randn(2, self.d, generator=rng, dtype=torch.float64)
        u = u - (u @ x) / (x @ x) * x
        return Given(x, u * (x.norm() / u.norm()), 2.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The constant."""
        yield Hypothesis("the constant is at least 2", given.constant >= 2)

    def predict(self, given: Given) -> list[float]:
        """The right side."""
        x = given.x
        return [given.constant * float(x @ x + y @ y) for y in _path(given)]

    def measure(self, given: Given) -> list[float]:
        """The left side."""
        return [float((given.x + y).square().sum()) for y in _path(given)]

    def counterexample(self, rng: Generator) -> Given:
        """A constant of 1.9 fails at y = x."""
        return self.given(rng)._replace(constant=1.9)

    def figure(self, given: Given) -> Figure:
        """Both sides along the path."""
        t = torch.linspace(0, 1, STEPS, dtype=torch.float64)
        return Figure(
            "Equality for equal vectors",
            x="t",
            y="squared length",
            marks=(
                Curve(self.predict(given), x=t, label="2‖x‖² + 2‖y‖²", role="predicted"),
                Curve(self.measure(given), x=t, label="‖x + y‖²"),
            ),
        )


def _path(given: Given) -> Tensor:
    t = torch.linspace(0, 1, STEPS, dtype=given.x.dtype)[:, None]
    return t * given.x + (1 - t.square()).sqrt() * given.u
