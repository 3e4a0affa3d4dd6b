r"""Affine pieces under rectification and addition.

With :math:`\delta_A(f)` the least number of intervals on which :math:`f : \mathbb R \to \mathbb R`
is affine,

.. math:: \delta_A(\mathrm{relu}\circ f) \le 2\,\delta_A(f), \qquad
          \delta_A\Big(\sum_{k\le K} a_k f_k + b_k\Big) \le \sum_k \delta_A(f_k) - (K - 1) .

An affine piece changes sign at most once; and the breakpoints of a sum are among those of its
terms. The notes' :math:`\sum_k \delta_A(f_k)` is the same without the :math:`K - 1`.

:source: Lucchi (2025), Foundations of Deep Learning, Proposition 31 and Section 4.4, Problem 3a.
:kind: bound
:covers: affine-pieces-calculus
:scale-free: Theory draws the functions; pieces are counted, and scaling changes none.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Kept, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Curve, Marks, Role, picture
from corollary.theory.expressivity.piecewise import PiecewiseLinear, random_piecewise

IDENTITY = PiecewiseLinear(torch.zeros(1).double(), torch.zeros(1).double(), 1.0, 1.0)


class Given(NamedTuple):
    f: tuple[PiecewiseLinear, ...]  # functions
    a: tuple[float, ...]  # coefficients of their sum
    sigma: Callable[[PiecewiseLinear], PiecewiseLinear]  # activation


def clipped(self: "PiecesCalculus") -> Given:
    """An activation that is clipped from above as well bends a steep piece twice."""
    n = self.pieces - 1
    knots = torch.linspace(-1, 1, n, dtype=torch.float64) if n > 1 else torch.zeros(1).double()
    high = 10.0 * (1 - 2 * (torch.arange(n) % 2)).double()
    zigzag = PiecewiseLinear(knots, high, 10.0, -10.0 * float(high[-1].sign()))
    return Given((zigzag,), (1.0,), lambda f: f.relu().scale(-1).clipped(-1.0).scale(-1))


def drawn(name: str, f: PiecewiseLinear, role: Role = "measured") -> Curve:
    """The function on [-1.2, 1.2]."""
    ends = torch.tensor([-1.2, 1.2], dtype=torch.float64)
    x = torch.cat([ends, f.knots[f.knots.abs() < 1.2]]).sort().values
    return Curve(f(x), x, f"{name}: {f.pieces} pieces", role)


class PiecesCalculus(Claim[Given]):
    pieces: int = option(9, low=2, high=200)  # pieces of each function
    K: int = option(4, low=1, high=50)  # functions in the sum

    relation = at_most()  # counts
    supposes = Suppose(
        "the activation bends once", lambda g: g.sigma(IDENTITY).pieces == 2, without=clipped
    )
    symbols = "bound on the pieces", "pieces δ"
    rows = ("positive part", "sum")

    def given(self, rng: Generator) -> Given:
        f = tuple(random_piecewise(self.pieces, rng=rng) for _ in range(self.K))
        a = normal(rng, self.K).tolist()
        return Given(f, tuple(a), PiecewiseLinear.relu)

    def predict(self, given: Given) -> list[int]:
        counts = [f.pieces for f in given.f]
        return [2 * counts[0], sum(counts) - (len(counts) - 1)]

    def measure(self, given: Given) -> Kept:
        positive = given.sigma(given.f[0])
        first, *others = (f.scale(a, 1.0) for f, a in zip(given.f, given.a, strict=True))
        total = first.add(*others)
        return Kept([positive.pieces, total.pieces], positive=positive, total=total)

    def tight(self) -> Given:
        """Two roofs, 1 - |x| and 1 - |x - 3|."""
        one = torch.ones(1, dtype=torch.float64)
        roofs = (PiecewiseLinear(at * one, one, 1.0, -1.0) for at in (0.0, 3.0))
        return Given(tuple(roofs), (1.0, 1.0), PiecewiseLinear.relu)

    @picture("The positive part", x="x", y="f(x)")
    def positive_part(self, trial: Trial[Given]) -> Marks:
        yield drawn("f", trial.given.f[0], "other")
        yield drawn("relu(f)", trial.kept.positive)

    @picture("A sum has no new breakpoints", x="x", y="f(x)")
    def whole_sum(self, trial: Trial[Given]) -> Marks:
        yield drawn("f₁", trial.given.f[0], "other")
        yield drawn("f₂", trial.given.f[-1], "other")
        yield drawn(f"sum of all {self.K}", trial.kept.total)
