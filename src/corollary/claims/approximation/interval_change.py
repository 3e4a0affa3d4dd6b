r"""From C[0, 1] to C[a, b] and back.

:math:`\phi(t)=(1-t)a+tb` maps [0, 1] onto [a, b]. If the polynomial p approximates
:math:`f\circ\phi` on [0, 1], then :math:`p\circ\phi^{-1}`, a polynomial of the same degree,
approximates f on [a, b] with the same error:

.. math:: \sup_{x\in[a,b]}|f(x)-p(\phi^{-1}(x))|=\sup_{t\in[0,1]}|f(\phi(t))-p(t)| .

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, Proposition 18.
:kind: identity
:cost: instant
:covers: interval-reparametrisation
:erratum: [wrong] Proposition 18 maps C[0,1] to C[a,b] by f -> f o phi; phi goes from [0,1] to
    [a,b], so it must be f o phi^{-1}. The counterexample here takes p o phi: on [1, 3] the error is
    millions of times larger than that of p.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.approximation.polynomials import compose, evaluate, rescale

GRID = torch.linspace(0, 1, 1001, dtype=torch.float64)


class Given(NamedTuple):
    """A function on [a, b], a polynomial on [0, 1], and one that should be its image."""

    f: Callable[[Tensor], Tensor]
    p: Float[Tensor, " n"]  # coefficients on [0, 1]
    q: Float[Tensor, " n"]  # coefficients on [a, b]


@dataclass(frozen=True)
class IntervalChange(Claim[Given]):
    """The sup error on [0, 1] and on [a, b]."""

    a: float = option(1.0, low=-2.0, high=2.0)  # left end
    length: float = option(2.0, low=1.0, high=10.0)  # b - a
    degree: int = option(6, low=1, high=8)  # of the polynomial
    relation = equals(ulps=2**22, scale=1.0)  # coefficients of size (|a|/length)^degree are rounded

    def given(self, rng: Generator) -> Given:
        """A sine with a drawn phase, fitted on [0, 1] and moved."""
        f = self._target(rng)
        powers = GRID[:, None] ** torch.arange(self.degree + 1)
        values = f(self.a + self.length * GRID)
        p = torch.linalg.lstsq(powers, values[:, None], driver="gelsd").solution[:, 0]
        return Given(f, p, rescale(p, self.a, self.a + self.length))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The second polynomial is the first after the change of variable."""
        moved = evaluate(given.q, self.a + self.length * GRID)
        same = torch.allclose(moved, evaluate(given.p, GRID), atol=1e-9)
        yield Hypothesis("q is p composed with the inverse of phi", same)

    def predict(self, given: Given) -> float:
        """The error on [0, 1]."""
        at = self.a + self.length * GRID
        return float((given.f(at) - evaluate(given.p, GRID)).abs().max())

    def measure(self, given: Given) -> float:
        """The error on [a, b]."""
        x = torch.linspace(self.a, self.a + self.length, len(GRID), dtype=torch.float64)
        return float((given.f(x) - evaluate(given.q, x)).abs().max())

    def counterexample(self, rng: Generator) -> Given:
        """The composition as the notes print it."""
        given = self.given(rng)
        return given._replace(q=compose(given.p, given.p.new_tensor([self.a, self.length])))

    def figure(self, given: Given) -> Figure:
        """The function and both polynomials on [a, b]."""
        x = self.a + self.length * GRID
        return Figure(
            "A polynomial moves to another interval",
            x="x",
            y="f(x), q(x)",
            marks=(
                Curve(given.f(x), x, label="f", role="predicted"),
                Curve(evaluate(given.q, x), x, label="q = p ∘ φ⁻¹", dashed=True),
            ),
        )

    def _target(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        shift = float(torch.rand(1, generator=rng, dtype=torch.float64))
        rate = 6 / self.length
        return lambda x: torch.sin(rate * x + shift)
