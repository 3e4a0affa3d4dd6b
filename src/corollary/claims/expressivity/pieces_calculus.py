r"""Affine pieces under rectification and addition.

With :math:`\delta_A(f)` the least number of intervals on which :math:`f : \mathbb R \to \mathbb R`
is affine,

.. math:: \delta_A(\mathrm{relu}\circ f) \le 2\,\delta_A(f), \qquad
          \delta_A\Big(\sum_{k\le K} a_k f_k + b_k\Big) \le \sum_k \delta_A(f_k) - (K - 1) .

An affine piece changes sign at most once; and the breakpoints of a sum are among those of its
terms. The notes' :math:`\sum_k \delta_A(f_k)` is the same without the :math:`K - 1`.

:source: Lucchi (2025), Foundations of Deep Learning, Proposition 31 and Section 4.4, Problem 3a.
:kind: bound
:cost: instant
:covers: affine-pieces-calculus
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option
from corollary.theory.expressivity.piecewise import PiecewiseLinear, random_piecewise


class Given(NamedTuple):
    """Functions, coefficients of their sum, and where the activation stops growing."""

    f: tuple[PiecewiseLinear, ...]
    a: tuple[float, ...]
    ceiling: float  # of the activation min(max(z, 0), ceiling)


@dataclass(frozen=True)
class PiecesCalculus(Claim[Given]):
    """Pieces of the positive part of a zig-zag, and of a sum of zig-zags."""

    pieces: int = option(9, low=2, high=200)  # of each function
    K: int = option(4, low=1, high=50)  # functions in the sum
    relation = at_most()  # counts

    def given(self, rng: Generator) -> Given:
        """Random zig-zags."""
        f = tuple(random_piecewise(self.pieces, rng=rng) for _ in range(self.K))
        a = torch.randn(self.K, generator=rng, dtype=torch.float64).tolist()
        return Given(f, tuple(a), math.inf)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One bend."""
        yield Hypothesis("the activation bends once", math.isinf(given.ceiling))

    def predict(self, given: Given) -> list[float]:
        """Twice the pieces of the first function; the sum of all, less K - 1."""
        counts = [f.pieces for f in given.f]
        return [2.0 * counts[0], float(sum(counts) - (len(counts) - 1))]

    def measure(self, given: Given) -> list[float]:
        """Pieces of the positive part and of the sum."""
        return [float(_active(given).pieces), float(_sum(given).pieces)]

    def counterexample(self, rng: Generator) -> Given:
        """An activation that is clipped from above as well, on a zig-zag of height 10."""
        n = self.pieces - 1
        knots = torch.linspace(-1, 1, n, dtype=torch.float64) if n > 1 else torch.zeros(1).double()
        high = 10.0 * (1 - 2 * (torch.arange(n) % 2)).double()
        zigzag = PiecewiseLinear(knots, high, 10.0, -10.0 * float(high[-1].sign()))
        return Given((zigzag,), (1.0,), 1.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """A zig-zag with its positive part, and the sum."""
        f, g, total = given.f[0], _active(given), _sum(given)
        return (
            _picture("The positive part", (f, "f", "other"), (g, "relu(f)", "measured")),
            _picture(
                "A sum has no new breakpoints",
                *((h, f"f{k + 1}", "other") for k, h in enumerate(given.f[:2])),
                (total, f"sum of all {len(given.f)}", "measured"),
            ),
        )


def _active(given: Given) -> PiecewiseLinear:
    g = given.f[0].relu()
    return g if math.isinf(given.ceiling) else g.scale(-1).clipped(-given.ceiling).scale(-1)


def _sum(given: Given) -> PiecewiseLinear:
    first, *others = (f.scale(a, 1.0) for f, a in zip(given.f, given.a, strict=True))
    return first.add(*others)


def _picture(title: str, *shown: tuple[PiecewiseLinear, str, str]) -> Figure:
    ends = torch.tensor([-1.2, 1.2], dtype=torch.float64)
    marks = []
    for f, name, role in shown:
        x = torch.cat([ends, f.knots[f.knots.abs() < 1.2]]).sort().values
        marks.append(Curve(f(x), x, f"{name}: {f.pieces} pieces", role=role))  # type: ignore[arg-type]
    return Figure(title, x="x", y="f(x)", marks=tuple(marks))
