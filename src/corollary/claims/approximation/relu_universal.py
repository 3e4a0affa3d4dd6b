r"""Shallow ReLU networks are universal.

For every continuous f on a compact set the smallest sup error of networks with one hidden layer of
m ReLUs tends to 0:

.. math:: \inf\Bigl\|f-\sum_{i\le m}a_i\,(w_i\cdot x+b_i)_+\Bigr\|_{\infty,K}\to0 .

In one dimension straight pieces between equispaced nodes are written as a network. In the plane,
where f is a function of the distance from a point and no sum of functions along a few directions,
the inner weights are drawn and the outer ones fitted. With a polynomial activation of degree 2 all
widths give polynomials of degree 2, and the error stays.

:source: Perez Jensen (2025), Deep Learning, Section 2.5, Theorem 2.12 and Figure 2.2.
:kind: theorem
:uses: linear_interpolation, relu_sum
:covers: relu-universality
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, converges, option, uniform
from corollary.models.approximators.relu_sums import fit_relu_uniform

R = torch.linspace(0, 2, 2001, dtype=torch.float64)
Z = torch.arange(-8.0, 9.0, dtype=torch.float64)  # ninth differences of a polynomial are 0
TARGETS = {
    "bump": lambda r: torch.exp(-4 * r**2),
    "cone": lambda r: r,
    "runge": lambda r: 1 / (1 + 10 * r**2),
}


class Given(NamedTuple):
    profile: Callable[[Tensor], Tensor]  # function of the distance from a centre
    centre: Float[Tensor, " d"]  # of f
    sigma: Callable[[Tensor], Tensor]  # activation

    def f(self, x: Tensor) -> Tensor:
        """The target at points."""
        return self.profile((x - self.centre).norm(dim=1))


class ReluUniversal(Claim[Given]):
    target: Literal["bump", "cone", "runge"] = "bump"  # f as a function of the distance
    d: int = option(2, low=1, high=2)  # dimension

    relation = converges(gap=0.04)  # drawn units at width 512; for a cone about 0.03 is left
    supposes = (
        Suppose(
            "f is continuous",
            lambda g: 0.01 - g.profile(R).diff().abs().max(),
            "For a step function, the error stays at half of the jump.",
            profile=lambda g: lambda r: (r < 0.5).to(r.dtype),
        ),
        Suppose(
            "σ is no polynomial",
            lambda g: g.sigma(Z).diff(n=9).abs().max() > 1e-6,
            "With the square as activation, the network is a quadratic polynomial.",
            sigma=lambda g: torch.square,
        ),
    )
    symbols = "0", "‖f − G‖∞"
    predicts = 0.0
    shows = Over("Sup error of ReLU networks", x="width m", log="xy")

    def given(self, rng: Generator) -> Given:
        centre = 0.4 * uniform(rng, self.d) - 0.2
        return Given(TARGETS[self.target], centre, torch.relu)

    def measure(self, given: Given, rng: Generator) -> Series:
        found = fit_relu_uniform(
            given.f, 1e-9, d=self.d, low=-1.0, largest=512, sigma=given.sigma, rng=rng
        )
        return Series(found.widths, found.errors)
