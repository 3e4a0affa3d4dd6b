r"""Difference quotients.

Where f has three continuous derivatives, the forward and the central quotient

.. math:: \frac{f(x+he_i)-f(x)}{h},\qquad\frac{f(x+he_i)-f(x-he_i)}{2h}

are off from :math:`\partial_if(x)` by :math:`O(h)` and :math:`O(h^2)`, until rounding
:math:`\varepsilon|f|/h` takes over. At a point where the third derivative blows up the central
quotient loses its second order.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.1, (1.8)-(1.11).
:kind: rate
:uses: taylor_remainder
:covers: numerical-gradient
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, option, slope, uniform
from corollary.core.picture import Marks, Points, picture
from corollary.theory.prerequisites.gradients import gradient, numerical_gradient
from corollary.theory.prerequisites.taylor import has_continuous_derivative

Scheme = Literal["forward", "central"]
ORDER: dict[Scheme, float] = {"forward": 1.0, "central": 2.0}


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]


def _error(given: Given, h: float, scheme: Scheme) -> float:
    found = numerical_gradient(given.f, given.x, scheme=scheme, step=h)
    return float((found - gradient(given.f, given.x)).norm())


class DifferenceQuotient(Claim[Given]):
    d: int = option(3, low=1, high=50)  # dimension
    scheme: Literal["forward", "central"] = "central"  # kind of difference quotient

    relation = slope(gap=0.1)  # the next term of the error bends the line by a few hundredths
    supposes = Suppose(
        "f has three continuous derivatives near x",
        lambda g: has_continuous_derivative(lambda t: g.f(g.x + t), 0.0, 3),
        "The second derivative has a corner, so the error is of order 3/2.",
        lambda g: Given(lambda x: x.relu().pow(2.5).sum(), torch.zeros_like(g.x)),
    )
    symbols = "order of the scheme", "‖numerical − true gradient‖"
    shows = Over("The truncation error falls with a power of h", x="h")

    def given(self, rng: Generator) -> Given:
        return Given(lambda x: x.exp().sum(), uniform(rng, self.d))  # no derivative vanishes

    def predict(self, given: Given) -> float:
        return ORDER[self.scheme]

    def measure(self, given: Given) -> Series:
        h = [2.0**-j for j in range(10, 3, -1)]
        return Series(h, [_error(given, s, self.scheme) for s in h])

    @picture("For small h the truncation error falls and the rounding error rises", x="h", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        h = [10.0**-j for j in range(12, 0, -1)]
        errors = {s: [max(_error(trial.given, t, s), 1e-17) for t in h] for s in ORDER}
        for s in ORDER:
            yield Points(h, errors[s], label=s, role="measured" if s == self.scheme else "other")
