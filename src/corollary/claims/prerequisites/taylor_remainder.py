r"""Taylor's theorem.

If f has :math:`k+1` continuous derivatives near a, its Taylor polynomial of order k leaves

.. math:: \Big|f(x)-\sum_{j\le k}\frac{f^{(j)}(a)}{j!}(x-a)^j\Big|
    \le\frac{M}{(k+1)!}\,|x-a|^{k+1},\qquad M=\sup|f^{(k+1)}|,

and where :math:`f^{(k+1)}(a)\ne0` the exponent :math:`k+1` is exact. With k derivatives at a alone
(Peano's form) the remainder is only :math:`o(|x-a|^k)`: that of :math:`|x|^{k+1/2}` at 0 is of
order :math:`k+\frac12`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.3, Theorem 2, (1.12).
:kind: theorem
:covers: taylor-theorem
:erratum: [typo] In the derivation for k = 3 the quadratic term is written f''(a)(x-a)^2; it must be
    f''(a)(x-a)^2/2, as in (1.12): f = x^2 at a = 0 has coefficient 1, not 2. The proof also deduces
    that f''' is bounded from the continuity of f'' and uses derivatives near a; both are more than
    the theorem assumes. The theorem is right.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, option, slope, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.prerequisites.taylor import (
    has_continuous_derivative,
    taylor_polynomial,
    taylor_remainders,
)

FUNCTIONS = {"exp": torch.exp, "sin": torch.sin, "1/(1+x)": lambda x: 1 / (1 + x)}


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]
    a: float  # centre


class TaylorRemainder(Claim[Given]):
    k: int = option(2, low=0, high=4)  # order of the polynomial
    function: Literal["exp", "sin", "1/(1+x)"] = "exp"  # the function f

    relation = slope(gap=0.1)  # the next term bends the line by a few hundredths
    supposes = Suppose(
        "f has k + 1 continuous derivatives near a",
        lambda self, g: has_continuous_derivative(g.f, g.a, self.k + 1),
        "|x| to the power k + 1/2 has k derivatives at 0 and no more: the exponent is k + 1/2.",
        lambda self: Given(lambda x: x.abs() ** (self.k + 0.5), 0.0),
    )
    symbols = "|x − a| to the power k + 1", "|f(x) − Taylor polynomial|"
    shows = Over("The remainder of order k", x="|x − a|")

    def given(self, rng: Generator) -> Given:
        return Given(FUNCTIONS[self.function], 0.5 + 0.5 * float(uniform(rng, 1)))

    def predict(self, given: Given) -> float:
        return self.k + 1.0

    def measure(self, given: Given) -> Series:
        steps = torch.tensor([0.01, 0.02, 0.04, 0.08, 0.16], dtype=torch.float64)
        return Series(steps, taylor_remainders(given.f, given.a, self.k, steps))

    @picture("A function and its Taylor polynomials", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        f, a = trial.given
        x = torch.linspace(a - 1, a + 1, 81, dtype=torch.float64)
        yield Curve(f(x), x, label="f")
        for k in range(self.k + 1):
            yield Curve(
                taylor_polynomial(f, a, k)(x), x, f"order {k}", "predicted", dashed=k < self.k
            )
