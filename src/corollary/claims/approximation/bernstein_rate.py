r"""How fast Bernstein polynomials converge.

For f with two continuous derivatives the error is
:math:`q_m(x)-f(x)=\frac{x(1-x)}{2m}f''(x)+o(1/m)` (Voronovskaya), for a kink it is larger:

.. math:: \|f-q_m\|_\infty\asymp m^{-1}\ (f\in C^2,\ f''\not\equiv0),\qquad
   \|f-q_m\|_\infty\asymp m^{-1/2}\ (f=|x-\tfrac12|).

At a jump there is no convergence.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, Theorem 17; Voronovskaya (1932);
    Lorentz (1953), Bernstein Polynomials, Section 1.6.
:kind: rate
:cost: instant
:covers: bernstein-weierstrass
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, slope
from corollary.theory.approximation.bernstein import bernstein

GRID = torch.linspace(0, 1, 401, dtype=torch.float64)


class Given(NamedTuple):
    """A function on [0, 1]."""

    f: Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class BernsteinRate(Claim[Given]):
    """The exponent of the sup error in the degree."""

    target: Literal["kink", "smooth"] = "kink"  # |x - 1/2|, or a sine
    degrees: tuple[int, ...] = (32, 64, 128, 256, 512)  # even degrees, at which the kink is a node
    relation = slope(gap=0.05)  # terms of higher order at the smallest degree

    def given(self, rng: Generator) -> Given:
        """The chosen function."""
        if self.target == "kink":
            return Given(lambda x: (x - 0.5).abs())
        shift = float(torch.rand(1, generator=rng, dtype=torch.float64))
        return Given(lambda x: torch.sin(4 * x + shift))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No jump."""
        jump = float(
            torch.diff(given.f(torch.linspace(0, 1, 100_001, dtype=torch.float64))).abs().max()
        )
        yield Hypothesis("f is continuous", jump < 1e-3, f"largest jump {jump:.3g}")

    def predict(self, given: Given) -> float:
        """The exponent."""
        return -0.5 if self.target == "kink" else -1.0

    def measure(self, given: Given) -> Series:
        """Sup errors over the degree."""
        return Series(self.degrees, _errors(given.f, self.degrees))

    def counterexample(self, rng: Generator) -> Given:
        """A step."""
        return Given(lambda x: (x >= 0.5).to(x.dtype))

    def figure(self, given: Given) -> Figure:
        """A smooth function, a kink and a step."""
        step = _errors(lambda x: (x >= 0.5).to(x.dtype), self.degrees)
        smooth = _errors(lambda x: torch.sin(4 * x), self.degrees)
        kink = _errors(lambda x: (x - 0.5).abs(), self.degrees)
        guides = [
            Curve([v[0] * (m / self.degrees[0]) ** p for m in self.degrees], self.degrees,
                  label=f"slope {p:g}", role="predicted")
            for v, p in ((smooth, -1), (kink, -0.5))
        ]  # fmt: skip
        return Figure(
            "Smoothness decides the rate",
            x="m",
            y="‖f − q‖∞",
            log_x=True,
            log_y=True,
            marks=(
                *guides,
                Points(self.degrees, smooth, label="sine"),
                Points(self.degrees, kink, label="kink"),
                Points(self.degrees, step, label="step", role="other"),
            ),
        )


def _errors(f: Callable[[Tensor], Tensor], degrees: tuple[int, ...]) -> list[float]:
    return [float((bernstein(f, m, GRID) - f(GRID)).abs().max()) for m in degrees]
