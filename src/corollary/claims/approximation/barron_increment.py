r"""Barron's constant bounds how far a function can go.

.. math:: |f(x)-f(0)|\le2\pi\,\|x\|\,C_f,\qquad C_f=\int\|w\|\,|\hat f(w)|\,dw,

since :math:`|\cos(u+v)-\cos v|\le|u|` under the integral. A single sine attains it at the origin.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 26 (ii) and (4.3).
:kind: bound
:cost: instant
:covers: barron-cosine-representation
:erratum: [wrong] After (4.3) boundedness of f(x) - f(0) is concluded from ||w|| |fhat(w)| being
    bounded; it must be integrable. The counterexample here is a box: ||w|| |fhat(w)| is at most
    1/pi, and with that in place of C_f the bound at x = 0.02 is 0.04, while f falls by 1.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.approximation.barron import barron_constant
from corollary.theory.approximation.representations import increment_bound
from corollary.theory.approximation.spectra import Cosines


class Given(NamedTuple):
    """A function, its true constant, the number that is taken for it, and points."""

    f: Callable[[Tensor], Tensor]
    constant: float
    C: float
    x: Float[Tensor, "n d"]


@dataclass(frozen=True)
class BarronIncrement(Claim[Given]):
    """Increments from the origin at many points."""

    d: int = option(3, low=1, high=50)  # dimension
    waves: int = option(4, low=1, high=50)  # cosines in the function
    relation = at_most(ulps=64, scale=1.0)  # rounding of a sum of cosines

    def given(self, rng: Generator) -> Given:
        """Cosines with drawn frequencies and phases, and points at all distances."""
        w = torch.randn(self.waves, self.d, generator=rng, dtype=torch.float64)
        c, theta = torch.rand(2, self.waves, generator=rng, dtype=torch.float64)
        f = Cosines(w, c / c.sum(), theta)
        u = torch.randn(400, self.d, generator=rng, dtype=torch.float64)
        t = torch.linspace(0.01, 1, 400, dtype=torch.float64)[:, None]
        return Given(f, f.constant, f.constant, t * u / u.norm(dim=1, keepdim=True))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The constant is the integral, and finite."""
        yield Hypothesis("C is the integral of ||w|| |fhat(w)|, which is finite",
                         given.constant <= given.C < math.inf,
                         f"C = {given.C:.3g}, integral {given.constant:.3g}")  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The bound at each point."""
        return increment_bound(given.C, given.x).tolist()

    def measure(self, given: Given) -> list[float]:
        """The increments."""
        return _increments(given).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A box that ends near the origin, with the sup in place of the integral."""
        length = 1.01  # from -1 to 0.01: |fhat| is |sin(pi w length)| / (pi |w|)
        found = barron_constant(lambda w: length * torch.sinc(length * w[:, 0]))
        x = torch.linspace(-0.5, 0.5, 51, dtype=torch.float64)[:, None]
        return Given(_box, found.value, 1 / math.pi, x)

    def figure(self, given: Given) -> Figure:
        """Increments over the distance, along the steepest direction at the origin."""
        zero = torch.zeros(1, given.x.shape[1], dtype=torch.float64, requires_grad=True)
        (slope,) = torch.autograd.grad(given.f(zero).sum(), zero)
        t = torch.linspace(0, 1, 200, dtype=torch.float64)
        along = given._replace(x=t[:, None] * slope / slope.norm())
        return Figure(
            "No further than 2π‖x‖C",
            x="‖x‖",
            y="|f(x) − f(0)|",
            marks=(
                Curve(self.predict(along), t, label="2π‖x‖C", role="predicted"),
                Curve(_increments(along), t, label="along the gradient at 0"),
            ),
        )


def _increments(given: Given) -> Float[Tensor, " n"]:
    return (given.f(given.x) - given.f(torch.zeros_like(given.x[:1]))).abs()


def _box(x: Tensor) -> Tensor:
    return ((x[:, 0] >= -1) & (x[:, 0] < 0.01)).to(x.dtype)
