r"""Difference quotients.

Where f has three continuous derivatives, the forward and the central quotient

.. math:: \frac{f(x+he_i)-f(x)}{h},\qquad\frac{f(x+he_i)-f(x-he_i)}{2h}

are off from :math:`\partial_if(x)` by :math:`O(h)` and :math:`O(h^2)`, until rounding
:math:`\varepsilon|f|/h` takes over. At a point where the third derivative blows up the central
quotient loses its second order.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.1, (1.8)-(1.11).
:kind: rate
:cost: instant
:covers: numerical-gradient
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.prerequisites.gradients import gradient, numerical_gradient
from corollary.theory.prerequisites.taylor import has_continuous_derivative

ORDER = {"forward": 1.0, "central": 2.0}


class Given(NamedTuple):
    """A function and a point."""

    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]


class DifferenceQuotient(Claim[Given]):
    d: int = option(3, low=1, high=50)  # dimension
    scheme: Literal["forward", "central"] = "central"  # which quotient
    relation = slope(gap=0.1)  # the next term of the error bends the line by a few hundredths

    def given(self, rng: Generator) -> Given:
        """A sum of exponentials: no derivative of it vanishes."""
        return Given(_exponentials, torch.rand(self.d, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Looked at along the diagonal."""
        along = has_continuous_derivative(lambda t: given.f(given.x + t), 0.0, 3)
        yield Hypothesis("f has three continuous derivatives near x", along)

    def predict(self, given: Given) -> float:
        """1 or 2."""
        return ORDER[self.scheme]

    def measure(self, given: Given) -> Series:
        """Distance to the gradient by autograd, as h grows."""
        h = [2.0**-j for j in range(10, 3, -1)]
        return Series(h, [_error(given, s, self.scheme) for s in h])

    def counterexample(self, rng: Generator) -> Given:
        """A corner in the second derivative: the error is of order 3/2."""
        return Given(_corner, torch.zeros(self.d, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """Both schemes down to where rounding takes over."""
        h = [10.0**-j for j in range(12, 0, -1)]
        errors = {s: [max(_error(given, t, s), 1e-17) for t in h] for s in ORDER}
        lines = tuple(
            Curve(
                [errors[s][-2] * (t / h[-2]) ** p for t in h[4:]],
                h[4:],
                label=f"order {p:g}",
                role="predicted",
                dashed=s == "forward",
            )
            for s, p in ORDER.items()
        )
        points = tuple(
            Points(h, errors[s], label=s, role="measured" if s == self.scheme else "other")
            for s in ORDER
        )
        return Figure(
            "Truncation falls with h, rounding rises",
            x="h",
            y="‖numerical − true gradient‖",
            log_x=True,
            log_y=True,
            marks=lines + points,
        )


def _exponentials(x: Tensor) -> Tensor:
    return x.exp().sum()


def _corner(x: Tensor) -> Tensor:
    return x.relu().pow(2.5).sum()


def _error(given: Given, h: float, scheme: str) -> float:
    found = numerical_gradient(given.f, given.x, scheme=scheme, step=h)
    return float((found - gradient(given.f, given.x)).norm())
