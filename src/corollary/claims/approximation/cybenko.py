r"""Cybenko's universal approximation theorem.

Let :math:`\sigma` be continuous and sigmoidal, :math:`\sigma(t)\to1` for :math:`t\to\infty` and
:math:`\sigma(t)\to0` for :math:`t\to-\infty`. Then the sums

.. math:: G(x)=\sum_{i=1}^ma_i\,\sigma(w_i\cdot x+b_i)

are dense in :math:`C([0,1]^d)`: for every continuous :math:`f` the smallest sup error
:math:`\|G-f\|_\infty` tends to 0 as the width m grows. It is measured on networks with random inner
weights and fitted outer weights. A function that jumps by 1 stays at distance 1/2 from every
continuous :math:`G`.

:source: Mathematical Foundations of Deep Learning (slides), Universal Approximation Theorem,
    Theorems 1 and 2; Cybenko (1989), Approximation by superpositions of a sigmoidal function.
:kind: theorem
:uses: discriminatory
:covers: cybenko-uat
:erratum: [missing hypothesis] Two opening slides say that such a network can approximate any
    function and every d-dimensional function of real variables; continuity and a compact domain are
    needed, as Theorems 1 and 2 of the later slides say. The counterexample here is a unit step:
    its sup error stays above 1/2 at every width.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, converges, option, uniform
from corollary.models.approximators.shallow import fit_superposition

WIDTHS = (16, 32, 64, 128, 256)
ENDS = torch.tensor([-1e3, 1e3], dtype=torch.float64)
DIAGONAL = torch.linspace(0, 1, 1001, dtype=torch.float64)[:, None].repeat(1, 2)


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]  # points (n, d) to values
    sigma: Callable[[Tensor], Tensor]  # activation


class Cybenko(Claim[Given]):
    d: int = option(2, low=1, high=2)  # dimension of the cube
    scale: float = option(20.0, low=1.0, high=100.0)  # largest length of an inner weight

    relation = converges(gap=0.02)  # random units at width 256, measured off the fitted grid
    supposes = (
        Suppose(
            "f is continuous",
            lambda g: 0.02 - g.f(DIAGONAL).diff().abs().max(),
            "For a step function, the error stays at half of the jump.",
            f=lambda g: lambda x: (x[:, 0] > 0.47).to(x.dtype),
        ),
        Suppose(
            "σ tends to 0 on the left and to 1 on the right",
            lambda g: g.sigma(ENDS).tolist() == [0.0, 1.0],
            "Networks whose activation is the square are polynomials of degree 2.",
            sigma=lambda g: torch.square,
        ),
    )
    symbols = "0", "‖G − f‖∞"
    predicts = 0.0
    shows = Over("Sup error of sigmoid networks", x="width m", log="xy")

    def given(self, rng: Generator) -> Given:
        u, shift = uniform(rng, 2)

        def f(x: Tensor) -> Tensor:
            wave: Tensor = torch.sin(4 * (x[:, 0] + u * x[:, -1])) / 2
            bend: Tensor = (x[:, -1] - 0.3 - 0.4 * shift).abs() / 2
            return wave + bend

        return Given(f, torch.sigmoid)

    def measure(self, given: Given, rng: Generator) -> Series:
        axis = torch.linspace(0, 1, 2001 if self.d == 1 else 83, dtype=torch.float64)
        x = torch.cartesian_prod(*[axis] * self.d).reshape(-1, self.d)  # off the points of the fit

        def error(m: int) -> float:
            net = fit_superposition(
                given.f, given.sigma, m, d=self.d, scale=self.scale, points=2000, rng=rng
            )
            return float((net(x) - given.f(x)).detach().abs().max())

        return Series(WIDTHS, [error(m) for m in WIDTHS])
