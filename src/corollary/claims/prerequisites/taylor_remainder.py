r"""Taylor's theorem.

If f has :math:`k+1` continuous derivatives near a, its Taylor polynomial of order k leaves

.. math:: \Big|f(x)-\sum_{j\le k}\frac{f^{(j)}(a)}{j!}(x-a)^j\Big|
    \le\frac{M}{(k+1)!}\,|x-a|^{k+1},\qquad M=\sup|f^{(k+1)}|,

and where :math:`f^{(k+1)}(a)\ne0` the exponent :math:`k+1` is exact. With k derivatives at a alone
(Peano's form) the remainder is only :math:`o(|x-a|^k)`: that of :math:`|x|^{k+1/2}` at 0 is of
order :math:`k+\frac12`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, Theorem 2, (1.12).
:kind: theorem
:cost: instant
:covers: taylor-theorem
:erratum: [typo] In the derivation for k = 3 the quadratic term is written f''(a)(x-a)^2; it must be
    f''(a)(x-a)^2/2, as in (1.12): f = x^2 at a = 0 has coefficient 1, not 2. The proof also deduces
    that f''' is bounded from the continuity of f'' and uses derivatives near a; both are more than
    the theorem assumes. The theorem is right.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.prerequisites.taylor import (
    derivatives,
    has_continuous_derivative,
    lagrange_bound,
    taylor_polynomial,
    taylor_remainders,
)

FUNCTIONS = {"exp": torch.exp, "sin": torch.sin, "1/(1+x)": lambda x: 1 / (1 + x)}


class Given(NamedTuple):
    """A function and a centre."""

    f: Callable[[Tensor], Tensor]
    a: float


class TaylorRemainder(Claim[Given]):
    k: int = option(2, low=0, high=4)  # order of the polynomial
    function: Literal["exp", "sin", "1/(1+x)"] = "exp"  # the function f
    relation = slope(gap=0.1)  # the next term bends the line by a few hundredths

    def given(self, rng: Generator) -> Given:
        """A centre in [1/2, 1], where no derivative of these functions vanishes."""
        a = 0.5 + 0.5 * float(torch.rand(1, generator=rng, dtype=torch.float64))
        return Given(FUNCTIONS[self.function], a)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One derivative more than the order."""
        smooth = has_continuous_derivative(given.f, given.a, self.k + 1)
        yield Hypothesis("f has k + 1 continuous derivatives near a", smooth)

    def predict(self, given: Given) -> float:
        """The exponent."""
        return self.k + 1.0

    def measure(self, given: Given) -> Series:
        """Remainders on both sides of the centre."""
        steps = _steps()
        return Series(steps, taylor_remainders(given.f, given.a, self.k, steps))

    def counterexample(self, rng: Generator) -> Given:
        """A function with k derivatives at 0 and no more."""
        return Given(lambda x: x.abs() ** (self.k + 0.5), 0.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Remainder and Lagrange's bound; the function and its first polynomials."""
        steps = _steps()
        inside = torch.linspace(-1, 1, 33, dtype=torch.float64) * steps[-1] + given.a
        M = max(float(derivatives(given.f, float(x), self.k + 1)[-1].abs()) for x in inside)
        rate = Figure(
            f"The remainder of order k = {self.k}",
            x="|x − a|",
            y="|f(x) − Taylor polynomial|",
            log_x=True,
            log_y=True,
            marks=(
                Curve(lagrange_bound(M, self.k, steps), steps, "Lagrange's bound", "predicted"),
                Points(steps, self.measure(given).values, label="remainder"),
            ),
        )
        x = torch.linspace(given.a - 1, given.a + 1, 81, dtype=torch.float64)
        curves = [Curve(given.f(x), x, label="f", role="measured")]
        for k in range(self.k + 1):
            p = taylor_polynomial(given.f, given.a, k)
            curves.append(Curve(p(x), x, f"order {k}", "predicted", dashed=k < self.k))
        near = Figure("A function and its Taylor polynomials", x="x", y="f(x)", marks=tuple(curves))
        return rate, near


def _steps() -> Tensor:
    return 0.01 * 2.0 ** torch.arange(5, dtype=torch.float64)
