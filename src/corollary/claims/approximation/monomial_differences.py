r"""A monomial from k + 1 units.

Since :math:`\partial_a^k\sigma(ax+b)|_{a=0}=x^k\sigma^{(k)}(b)`, a k-th difference of units is
close to a monomial if :math:`\sigma^{(k)}(b)\ne0`:

.. math:: \sup_{x\in K}\Bigl|x^k-\frac1{h^k\sigma^{(k)}(b)}\sum_{j=0}^k(-1)^{k-j}\binom kj
   \sigma(a_jx+b)\Bigr|=O(h^p)

with p = 1 for :math:`a_j=jh` and p = 2 for the central nodes :math:`a_j=(j-k/2)h`. Below
:math:`h\approx\mathrm{eps}^{1/(k+p)}` rounding takes over, and the error grows like
:math:`h^{-k}`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 19, steps 3 and 4;
    Leshno, Lin, Pinkus and Schocken (1993).
:kind: construction
:cost: instant
:covers: monomial-finite-difference-network, leshno-theorem
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.models.approximators.monomials import monomial_network
from corollary.theory.approximation.nonvanishing import find_nonvanishing_point, jets

GRID = torch.linspace(-1, 1, 201, dtype=torch.float64)[:, None]
EPS = torch.finfo(torch.float64).eps


class Given(NamedTuple):
    """The bias of the units and growing steps."""

    b: float
    steps: tuple[float, ...]


@dataclass(frozen=True)
class MonomialDifferences(Claim[Given]):
    """The exponent of the error in the step of the difference."""

    k: int = option(3, low=1, high=4)  # exponent of the monomial
    central: bool = True  # nodes on both sides of 0
    relation = slope(gap=0.1)  # the next order of the step is not quite negligible

    def given(self, rng: Generator) -> Given:
        """A bias where no derivative of the sigmoid is small, and moderate steps."""
        low = -2.0 + float(torch.rand(1, generator=rng, dtype=torch.float64))
        found = find_nonvanishing_point(torch.sigmoid, (low, low + 3.0), self.k + 2)
        assert found.point is not None, "the sigmoid is not a polynomial"
        first = 0.02 if self.central else 0.005
        return Given(found.point, tuple(first * 2**i for i in range(4)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The derivative and the step."""
        derivative = float(jets(torch.sigmoid, GRID.new_tensor([given.b]), self.k)[self.k, 0])
        order = self.k + (2 if self.central else 1)
        yield Hypothesis("the derivative of order k does not vanish at b",
                         abs(derivative) > 1e-4, f"{derivative:.3g}")  # fmt: skip
        yield Hypothesis("the steps are so large that rounding is negligible",
                         given.steps[0] > 4 * EPS ** (1 / order))  # fmt: skip

    def predict(self, given: Given) -> float:
        """The order of the difference."""
        return 2.0 if self.central else 1.0

    def measure(self, given: Given) -> Series:
        """Sup errors over the step."""
        return Series(given.steps, [_error(self, given.b, h) for h in given.steps])

    def counterexample(self, rng: Generator) -> Given:
        """Steps where the weights of size 1/h^k meet rounding."""
        return self.given(rng)._replace(steps=(1e-9, 2e-9, 4e-9, 8e-9))

    def figure(self, given: Given) -> Figure:
        """The error over all steps: first the difference, then rounding."""
        steps = [10.0 ** (-i / 4) for i in range(24, 1, -1)]
        p, at = self.predict(given), given.steps[-1]
        scale = _error(self, given.b, at)
        guide = [h for h in steps if h >= given.steps[0] / 4]
        return Figure(
            "Small steps are better, until rounding",
            x="h",
            y="sup error",
            log_x=True,
            log_y=True,
            marks=(
                Curve([scale * (h / at) ** p for h in guide], guide, label=f"order {p:g}",
                      role="predicted"),
                Points(steps, [_error(self, given.b, h) for h in steps], label=f"x^{self.k}"),
            ),
        )  # fmt: skip


def _error(claim: MonomialDifferences, b: float, h: float) -> float:
    net = monomial_network(torch.sigmoid, claim.k, b, h, central=claim.central)
    return float((net(GRID) - GRID[:, 0] ** claim.k).abs().max().detach())
