r"""A network of k + 1 units approximates a monomial of degree k.

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
:uses: chain_rule, difference_quotient
:covers: monomial-finite-difference-network, leshno-theorem
:scale-free: Theory finds the bias and tests the derivative; the order of a difference does not
    depend on them.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, option, slope, uniform
from corollary.models.approximators.monomials import monomial_network
from corollary.theory.approximation.nonvanishing import find_nonvanishing_point, jets

GRID = torch.linspace(-1, 1, 201, dtype=torch.float64)[:, None]
EPS = torch.finfo(torch.float64).eps


class Given(NamedTuple):
    sigma: Callable[[Tensor], Tensor]  # activation
    b: float  # bias of the units
    steps: tuple[float, ...]  # growing


class MonomialDifferences(Claim[Given]):
    k: int = option(3, low=1, high=4)  # exponent of the monomial
    central: bool = True  # nodes on both sides of 0

    relation = slope(gap=0.1)  # the next order of the step is not quite negligible
    supposes = (
        Suppose(
            "the derivative of order k does not vanish at b",
            lambda self, g: jets(g.sigma, GRID.new_tensor([g.b]), self.k)[-1].abs() - 1e-4,
        ),
        Suppose(
            "σ has bounded derivatives of order k + 2 around b",
            lambda self, g: 100 - jets(g.sigma, GRID[:, 0] / 1e3 + g.b, self.k + 2)[-1].abs().max(),
            "A term (z − b)₊^(k + 1/2) has no derivative of order k + 1, so the error falls more "
            "slowly.",
            sigma=lambda self, g: lambda z: torch.sigmoid(z) + (z - g.b).relu() ** (self.k + 0.5),
        ),
        Suppose(
            "the steps are so large that rounding is negligible",
            lambda self, g: g.steps[0] - 4 * EPS ** (1 / (self.k + (2 if self.central else 1))),
            "At very small steps, rounding errors dominate.",
            steps=tuple(1e-6 * 10 ** (i / 3) for i in range(10)),
        ),
    )
    symbols = "order of the difference", "sup |xᵏ − network|"
    shows = Over("The error falls with the step until rounding dominates", x="step h")

    def given(self, rng: Generator) -> Given:
        low = -2.0 + float(uniform(rng, 1))
        found = find_nonvanishing_point(torch.sigmoid, (low, low + 3.0), self.k + 2)
        assert found.point is not None, "the sigmoid is not a polynomial"
        first = 0.02 if self.central else 0.005
        return Given(torch.sigmoid, found.point, tuple(first * 2**i for i in range(4)))

    def predict(self, given: Given) -> float:
        return 2.0 if self.central else 1.0

    def measure(self, given: Given) -> Series:
        def error(h: float) -> float:
            net = monomial_network(given.sigma, self.k, given.b, h, central=self.central)
            return float((net(GRID) - GRID[:, 0] ** self.k).detach().abs().max())

        return Series(given.steps, [error(h) for h in given.steps])
