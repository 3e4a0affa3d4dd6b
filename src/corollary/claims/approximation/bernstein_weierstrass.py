r"""Weierstrass by Bernstein polynomials.

Let f be continuous on [0, 1], :math:`|f(x)-f(y)|\le\epsilon/2` for :math:`|x-y|\le\delta` and
:math:`R=2\|f\|_\infty`. Then :math:`q_m(x)=\sum_kf(k/m)\,b_k^m(x)` satisfies

.. math:: \|f-q_m\|_\infty<\epsilon\qquad\text{for every }m>\frac{R}{2\epsilon\delta^2},

so polynomials are dense in :math:`C[0,1]`, and after a change of variable in :math:`C[a,b]`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, Theorem 17 and (3.7)-(3.8); Perez
    Jensen (2025), Deep Learning, Section 2.4, Theorem 2.4; Bernstein (1912).
:kind: theorem
:cost: instant
:covers: bernstein-weierstrass
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.approximation.bernstein import bernstein, bernstein_degree

GRID = torch.linspace(0, 1, 301, dtype=torch.float64)


def kink(x: Tensor) -> Tensor:
    """|x - 1/2|."""
    return (x - 0.5).abs()


def wave(x: Tensor) -> Tensor:
    """Half a period of a sine."""
    return torch.sin(math.pi * x) / 2


class Given(NamedTuple):
    """Functions on [0, 1], each with the distance within which it moves by eps/2."""

    functions: tuple[Callable[[Tensor], Tensor], ...]
    deltas: tuple[float, ...]


@dataclass(frozen=True)
class BernsteinWeierstrass(Claim[Given]):
    """The sup error at the degree that the proof prescribes."""

    eps: float = option(0.3, low=0.2, high=0.6)  # error to keep
    relation = at_most()  # strict in the statement, and far from equality

    def given(self, rng: Generator) -> Given:
        """A kink, a square root and a sine."""
        half = self.eps / 2  # sqrt moves by sqrt(delta), the others by slope times delta
        return Given((kink, torch.sqrt, wave), (half, half**2, 2 * half / math.pi))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The moduli, tested on pairs."""
        moved = [_moved(f, d) for f, d in zip(given.functions, given.deltas, strict=True)]
        small = max(moved) <= self.eps / 2 + 1e-12
        yield Hypothesis("f moves by at most eps/2 within delta", small, f"by {max(moved):.3g}")

    def predict(self, given: Given) -> list[float]:
        """The error to keep, for each function."""
        return [self.eps] * len(given.functions)

    def measure(self, given: Given) -> list[float]:
        """Sup errors at the prescribed degrees."""
        return [
            float((bernstein(f, m, GRID) - f(GRID)).abs().max())
            for f, m in zip(given.functions, _degrees(self, given), strict=True)
        ]

    def counterexample(self, rng: Generator) -> Given:
        """A step: at the jump the polynomial is half way."""
        return Given((lambda x: (x >= 0.5).to(x.dtype),), (self.eps / 2,))

    def figure(self, given: Given) -> Figure:
        """Polynomials of growing degree for the kink."""
        curves = [
            Curve(bernstein(kink, m, GRID), GRID, label=f"m = {m}", role="measured")
            for m in (4, 16, 64)
        ]
        target = Curve(kink(GRID), GRID, label="f = |x − 1/2|", role="predicted")
        return Figure("Bernstein polynomials of a kink", x="x", y="q(x)", marks=(target, *curves))


def _degrees(claim: BernsteinWeierstrass, given: Given) -> list[int]:
    sizes = [2 * float(f(GRID).abs().max()) for f in given.functions]
    return [bernstein_degree(claim.eps, d, R) for d, R in zip(given.deltas, sizes, strict=True)]


def _moved(f: Callable[[Tensor], Tensor], delta: float) -> float:
    x = torch.linspace(0, 1 - delta, 4001, dtype=torch.float64)
    return float((f(x + delta) - f(x)).abs().max())
