r"""Ridge functions are dense.

The span of :math:`\{g(\theta\cdot x):\theta\in\mathbb{R}^n,\ g\in C(\mathbb{R})\}` is dense in
:math:`C(K)` for every compact :math:`K\subset\mathbb{R}^n`: with more and more directions

.. math:: \inf_{g_1,\dots,g_m}\Bigl\|f-\sum_{j=1}^mg_j(\theta_j\cdot x)\Bigr\|_\infty\to0 .

Two directions are not enough, however often they are repeated: sums :math:`g_1(x_1)+g_2(x_2)`
never come close to :math:`x_1x_2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.4, Theorem 21; Vostrecov and Kreines
    (1961), Approximation of continuous functions by superpositions of plane waves.
:kind: theorem
:uses: polarisation, bernstein_weierstrass
:covers: ridge-function-theorem
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, converges, option, uniform
from corollary.theory.approximation.grids import box_grid
from corollary.theory.approximation.ridge_sums import ridge_fit

SIZES = (1, 2, 4, 6, 8)
DIAGONAL = torch.linspace(-1, 1, 2001, dtype=torch.float64)[:, None].repeat(1, 2)


class Given(NamedTuple):
    theta: Float[Tensor, "8 2"]  # directions in the plane, of which the first m are used
    f: Callable[[Tensor], Tensor]  # target


def smallest_area(given: Given) -> float:
    """Of the parallelograms of two directions."""
    x, y = given.theta.T
    area = (x[:, None] * y - y[:, None] * x).abs()
    return float((area + torch.eye(len(x), dtype=x.dtype)).min()) - 1e-6


class RidgeDensity(Claim[Given]):
    degree: int = option(12, low=4, high=20)  # degree of the functions along each direction

    relation = converges(gap=0.05)  # eight directions; the target is nearly of degree 8
    supposes = (
        Suppose(
            "no two directions are parallel",
            smallest_area,
            "Sums g(x₁) + h(x₂) cannot approximate the product x₁x₂.",
            theta=lambda g: torch.eye(2).double().repeat(4, 1),
        ),
        Suppose(
            "f is continuous",
            lambda g: 0.02 - g.f(DIAGONAL).diff().abs().max(),
            "For a step function, the error stays at half of the jump.",
            f=lambda g: lambda x: (x[:, 0] > 0).to(x.dtype),
        ),
    )
    symbols = "0", "‖f − Σ g(θ·x)‖∞"
    predicts = 0.0
    shows = Over("Sup error of sums of ridge functions", x="directions m", log="y")

    def given(self, rng: Generator) -> Given:
        turn, phase = uniform(rng, 2).tolist()
        order = torch.tensor([0, 4, 2, 6, 1, 5, 3, 7])  # spreads them early
        angle = math.pi * (order.to(torch.float64) + turn) / 8
        f = lambda x: torch.sin(2 * x.prod(1) + phase) + torch.exp(-(x**2).sum(1))  # noqa: E731
        return Given(torch.stack([angle.cos(), angle.sin()], 1), f)

    def measure(self, given: Given) -> Series:
        x = box_grid(2, 33, -1.0, 1.0)
        y = given.f(x)
        fits = (ridge_fit(y, given.theta[:m], self.degree, x) for m in SIZES)
        return Series(SIZES, [float((fit - y).abs().max()) for fit in fits])
