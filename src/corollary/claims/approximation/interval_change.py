r"""Polynomial approximation carries over from [0, 1] to [a, b].

:math:`\phi(t)=(1-t)a+tb` maps [0, 1] onto [a, b]. If the polynomial p approximates
:math:`f\circ\phi` on [0, 1], then :math:`p\circ\phi^{-1}`, a polynomial of the same degree,
approximates f on [a, b] with the same error:

.. math:: \sup_{x\in[a,b]}|f(x)-p(\phi^{-1}(x))|=\sup_{t\in[0,1]}|f(\phi(t))-p(t)| .

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, Proposition 18.
:kind: identity
:covers: interval-reparametrisation
:erratum: [wrong] Proposition 18 maps C[0,1] to C[a,b] by f -> f o phi; phi goes from [0,1] to
    [a,b], so it must be f o phi^{-1}. The counterexample here takes p o phi: on [1, 3] the error is
    millions of times larger than that of p.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, option, uniform
from corollary.theory.approximation.polynomials import compose, evaluate, rescale

GRID = torch.linspace(0, 1, 101, dtype=torch.float64)


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # on [a, b]
    p: Float[Tensor, " n"]  # polynomial on [0, 1]
    move: Callable[[Tensor], Tensor]  # how coefficients are moved
    t: Float[Tensor, " k"]  # points of [0, 1]


def inverted(self: "IntervalChange", given: Given) -> bool:
    """Whether the polynomial t is moved to one that is 0 at a and 1 at b."""
    c, slope = given.move(GRID.new_tensor([0.0, 1.0]))
    ends = torch.stack([c + slope * self.a, c + slope * (self.a + self.length)])
    return torch.allclose(ends, GRID.new_tensor([0.0, 1.0]), rtol=0, atol=1e-12)


def as_printed(self: "IntervalChange", given: Given) -> Given:
    """Composed with φ, as printed in the notes, the polynomial is evaluated far outside [0, 1]."""
    phi = given.p.new_tensor([self.a, self.length])
    return given._replace(move=lambda p: compose(p, phi))


class IntervalChange(Claim[Given]):
    a: float = option(1.0, low=-2.0, high=2.0)  # left end
    length: float = option(2.0, low=1.0, high=10.0)  # b - a
    degree: int = option(6, low=1, high=8)  # degree of the polynomial

    relation = equals(ulps=2**20, scale=1.0)  # terms up to ((|x| + |a|)/length)^degree cancel
    supposes = Suppose(
        "polynomials are composed with the inverse of φ", inverted, without=as_printed
    )
    symbols = "f(φ(t)) − p(t)", "f(x) − q(x) at x = φ(t)"
    shows = Along("The same error on both intervals", x="t", at="t", without=False)

    def given(self, rng: Generator) -> Given:
        shift, rate = float(uniform(rng, 1)), 6 / self.length

        def f(x: Tensor) -> Tensor:
            return torch.sin(rate * x + shift)

        powers = GRID[:, None] ** torch.arange(self.degree + 1)
        values = f(self.a + self.length * GRID)
        p = torch.linalg.lstsq(powers, values[:, None], driver="gelsd").solution[:, 0]
        return Given(f, p, lambda p: rescale(p, self.a, self.a + self.length), GRID)

    def predict(self, given: Given) -> Tensor:
        p = given.t[:, None] ** torch.arange(len(given.p)) @ given.p
        return given.f(self.a + self.length * given.t) - p

    def measure(self, given: Given) -> Tensor:
        x = torch.linspace(self.a, self.a + self.length, len(given.t), dtype=torch.float64)
        return given.f(x) - evaluate(given.move(given.p), x)
