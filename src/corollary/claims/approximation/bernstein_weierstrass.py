r"""Weierstrass by Bernstein polynomials.

Let f be continuous on [0, 1], :math:`|f(x)-f(y)|\le\epsilon/2` for :math:`|x-y|\le\delta` and
:math:`R=2\|f\|_\infty`. Then :math:`q_m(x)=\sum_kf(k/m)\,b_k^m(x)` satisfies

.. math:: \|f-q_m\|_\infty<\epsilon\qquad\text{for every }m>\frac{R}{2\epsilon\delta^2},

so polynomials are dense in :math:`C[0,1]`, and after a change of variable in :math:`C[a,b]`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3, Theorem 17 and (3.7)-(3.8); Perez
    Jensen (2025), Deep Learning, Section 2.4, Theorem 2.4; Bernstein (1912).
:kind: theorem
:uses: bernstein_moments, compact_interval
:covers: bernstein-weierstrass
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Marks, Suppose, Trial, at_most, option, picture
from corollary.theory.approximation.bernstein import bernstein, bernstein_degree

GRID = torch.linspace(0, 1, 401, dtype=torch.float64)


class Given(NamedTuple):
    functions: tuple[Callable[[Tensor], Tensor], ...]  # on [0, 1]
    deltas: tuple[float, ...]  # distances within which each moves by eps/2
    degrees: tuple[int, ...]  # of the polynomials


def moved(given: Given) -> float:
    """How far a function moves within its delta, at the most."""
    out = [0.0]
    for f, delta in zip(given.functions, given.deltas, strict=True):
        x = torch.linspace(0, 1 - delta, 4001, dtype=torch.float64)
        out += [float((f(x + delta * s) - f(x)).abs().max()) for s in (0.25, 0.5, 0.75, 1.0)]
    return max(out)


def prescribed(eps: float, given: Given) -> tuple[int, ...]:
    """The degrees of the proof."""
    sizes = [2 * float(f(GRID).abs().max()) for f in given.functions]
    return tuple(bernstein_degree(eps, *pair) for pair in zip(given.deltas, sizes, strict=True))


class BernsteinWeierstrass(Claim[Given]):
    eps: float = option(0.3, low=0.2, high=0.6)  # allowed error

    relation = at_most()  # strict in the statement, and far from equality
    supposes = (
        Suppose(
            "f changes by at most ε/2 within distance δ",
            lambda self, g: self.eps / 2 + 1e-12 - moved(g),
            "At the jump of a step function, the polynomial is near the middle of the jump.",
            functions=lambda g: (lambda x: (x >= 0.5).to(x.dtype),) * len(g.deltas),
        ),
        Suppose(
            "m > R / (2εδ²)",
            lambda self, g: all(
                m >= p for m, p in zip(g.degrees, prescribed(self.eps, g), strict=True)
            ),
            "A polynomial of degree 1 cannot follow the kink.",
            degrees=lambda g: (1,) * len(g.degrees),
        ),
    )
    symbols = "ε", "‖f − q‖∞"
    rows = ("kink", "root", "sine")

    def given(self, rng: Generator) -> Given:
        half = self.eps / 2  # sqrt moves by sqrt(delta), the others by slope times delta
        functions = (lambda x: (x - 0.5).abs(), torch.sqrt, lambda x: torch.sin(math.pi * x) / 2)
        given = Given(functions, (half, half**2, 2 * half / math.pi), ())
        return given._replace(degrees=prescribed(self.eps, given))

    def predict(self, given: Given) -> list[float]:
        return [self.eps] * len(given.functions)

    def measure(self, given: Given) -> list[float]:
        pairs = zip(given.functions, given.degrees, strict=True)
        return [float((bernstein(f, m, GRID) - f(GRID)).abs().max()) for f, m in pairs]

    def tight(self) -> Given:
        """A peak between two nodes of degree 2, and a fall before the last."""

        def f(x: Tensor) -> Tensor:
            peak, fall = 1 - 20 * (x - 0.25).abs(), 20 * (0.95 - x)
            return self.eps / 2 * (peak.clamp(min=0) + fall.clamp(-1, 0))

        return Given((f,), (0.7,), (2,))

    @picture("Bernstein polynomials of a kink", x="x", y="q(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        kink = trial.given.functions[0]
        yield Curve(kink(GRID), GRID, label="f = |x − 1/2|", role="predicted")
        for m in (4, 16, 64):
            yield Curve(bernstein(kink, m, GRID), GRID, label=f"m = {m}")
