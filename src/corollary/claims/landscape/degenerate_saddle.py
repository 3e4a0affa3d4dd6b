r"""A saddle that its Hessian does not see.

The loss :math:`\frac12(w_1\cdots w_h-1)^2` of a linear network with one unit a layer is critical at
0. For :math:`h=2` the Hessian there has the eigenvalues :math:`\pm1`. For :math:`h\ge3` it
vanishes, and yet every ball around 0 holds smaller and larger values: along
:math:`w=t(1,\dots,1)/\sqrt h`

.. math:: f(w)-f(0)=-(t/\sqrt h)^h+O(t^{2h}) .

The exponent of descent is :math:`h`: 0 is a saddle that is left ever more slowly with depth.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6, Definitions 22-24 and Theorem 46;
    Kawaguchi (2016), "Deep learning without poor local minima", Corollary 2.4.
:kind: rate
:cost: instant
:covers: critical-point-taxonomy
:erratum: [wrong] Definition 24 calls a critical point a saddle only if its Hessian is indefinite.
    Theorem 46(3), every critical point that is no global minimum is a saddle, is false in this
    reading: here the Hessian is zero for h >= 3, and the point is no minimum.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.optimization.critical_points import stationarity


class Given(NamedTuple):
    """Depth, the target of the product, and the point."""

    h: int
    target: float
    w: Tensor


class DegenerateSaddle(Claim[Given]):
    h: int = option(3, low=2, high=6)  # layers
    relation = slope(gap=0.05)  # the correction is of order t^h at t up to 0.3

    def given(self, rng: Generator) -> Given:
        """Zero weights."""
        return Given(self.h, 1.0, torch.zeros(self.h, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A critical point, with something to gain."""
        g = stationarity(lambda w: _loss(w, given), given.w)
        yield Hypothesis("the gradient is zero", g < 1e-12, f"length {g:.3g}")
        yield Hypothesis("the target of the product is not 0", given.target != 0)

    def predict(self, given: Given) -> float:
        """The depth."""
        return float(given.h)

    def measure(self, given: Given) -> Series:
        """How far the loss falls along the diagonal."""
        t = _radii(given)
        return Series(t, [max(v, 1e-300) for v in _descent(given, t)])

    def counterexample(self, rng: Generator) -> Given:
        """A point that is not critical: descent of first order."""
        return self.given(rng)._replace(w=torch.full((self.h,), 0.5, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """Descent at zero for several depths."""
        marks: list[Curve | Points] = []
        for h in range(2, 6):
            other = Given(h, 1.0, torch.zeros(h, dtype=torch.float64))
            t = _radii(other)
            line = [(r / h**0.5) ** h for r in t]
            marks.append(Curve(line, x=t, label=f"(t/√h)^h, h = {h}", role="predicted"))
            marks.append(Points(t, _descent(other, t), label=f"f(0) − f(w), h = {h}"))
        return Figure(
            "The deeper, the flatter the saddle at zero",
            x="t",
            y="f(0) − f(w)",
            log_x=True,
            log_y=True,
            marks=tuple(marks),
        )


def _loss(w: Tensor, given: Given) -> Tensor:
    return 0.5 * (w.prod(dim=-1) - given.target) ** 2


def _radii(given: Given) -> list[float]:
    return [0.03 * 10 ** (i / 6) for i in range(7)]


def _descent(given: Given, t: list[float]) -> list[float]:
    way = torch.ones(given.h, dtype=torch.float64) / given.h**0.5
    points = given.w + torch.tensor(t, dtype=torch.float64)[:, None] * way
    return (_loss(given.w, given) - _loss(points, given)).tolist()
