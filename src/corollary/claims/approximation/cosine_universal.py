r"""Cosine networks are universal.

For every continuous f on a compact set K

.. math:: \inf_{a,W,b}\bigl\|f-a^\top\cos(Wx+b)\bigr\|_{\infty,K}\to0\qquad(m\to\infty):

products of cosine networks are cosine networks, :math:`\cos0=1`, and units separate points, so the
theorem of Stone and Weierstrass applies. Without biases every network is even, and an odd function
is never approached.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.5, Problem 2a and (3.15)-(3.16).
:kind: theorem
:uses: cosine_products, stone_weierstrass
:covers: cosine-network-universal
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, converges, option, uniform
from corollary.models.approximators.shallow import fit_outer, random_units

WIDTHS = (8, 16, 32, 64, 128)
GRID = torch.linspace(-1, 1, 2401, dtype=torch.float64)[:, None]


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # target
    w: tuple[Tensor, ...]  # weights of the units of each network
    b: tuple[Tensor, ...]  # their biases


def separation(given: Given) -> Tensor:
    """The largest difference of a unit of the widest network between -1/2 and 1/2."""
    w, b = given.w[-1][:, 0] / 2, given.b[-1]
    return (torch.cos(b + w) - torch.cos(b - w)).abs().max() - 1e-9


class CosineUniversal(Claim[Given]):
    scale: float = option(0.6, low=0.2, high=1.5)  # largest inner weight, for each unit

    relation = converges(gap=0.04)  # a kink, fitted in the mean square, at width 128
    supposes = (
        Suppose(
            "f is continuous",
            lambda g: 0.02 - g.f(GRID).diff().abs().max(),
            "For a step function, the error stays at half of the jump.",
            f=lambda g: lambda x: (x[:, 0] > 0).to(x.dtype),
        ),
        Suppose(
            "units have biases",
            lambda g: g.b[-1].abs().max(),
            "Without biases every network is even.",
            b=lambda g: tuple(0 * b for b in g.b),
        ),
        Suppose(
            "units separate points",
            separation,
            "Frequencies that are multiples of 2π make every network periodic.",
            w=lambda g: tuple(2 * torch.pi * (w / (2 * torch.pi)).round() for w in g.w),
        ),
    )
    symbols = "0", "‖F − f‖∞"
    predicts = 0.0
    shows = Over("Sup error of cosine networks", x="width m", log="xy")

    def given(self, rng: Generator) -> Given:
        shift = float(uniform(rng, 1)) - 0.5
        units = (random_units(m, 1, self.scale * m, low=-1.0, rng=rng) for m in WIDTHS)
        return Given(
            lambda x: torch.sin(3 * x[:, 0]) + (x[:, 0] - shift).abs(), *zip(*units, strict=True)
        )

    def measure(self, given: Given) -> Series:
        y, units = given.f(GRID), zip(given.w, given.b, strict=True)
        networks = [fit_outer(torch.cos, w, b, GRID[::4], y[::4]) for w, b in units]
        return Series(WIDTHS, [(net(GRID) - y).abs().max().detach() for net in networks])
