r"""Rademacher complexity of bounded linear predictors.

For :math:`\{x\mapsto\langle w,x\rangle:\|w\|\le W\}` and m points with :math:`\|x_i\|\le D`

.. math:: \hat{\mathcal R}_S=\frac Wm\,\mathbb E_\sigma\Bigl\|\sum_i\sigma_ix_i\Bigr\|
   \le\frac Wm\Bigl(\sum_i\|x_i\|^2\Bigr)^{1/2}\le\frac{DW}{\sqrt m},

in any dimension. Orthogonal points attain the first inequality, points of equal length the second.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 63; Kakade, Sridharan and Tewari (2008),
    "On the complexity of linear prediction: risk bounds, margin bounds, and regularization".
:kind: bound
:cost: instant
:covers: rademacher-linear-class
:erratum: [typo] The first line of (8.25) has the supremum inside the sum over the points; that
    expression equals (W/m) sum_i |x_i| and does not decay: 1 for unit vectors and W = 1, against at
    most 0.032 at m = 1000. The next line has the supremum over the whole sum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.generalization.linear_class import (
    linear_complexity,
    linear_complexity_bound,
    linear_complexity_radius,
    linear_suprema,
    supremum_inside,
)
from corollary.theory.generalization.rademacher import random_signs

SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Given(NamedTuple):
    """Points, and the lengths allowed to points and weights."""

    x: Float[Tensor, "m d"]
    D: float
    W: float


@dataclass(frozen=True)
class RademacherLinear(Claim[Given]):
    """The complexity over all signs, against its two bounds."""

    m: int = option(12, low=1, high=14)  # points
    d: int = option(5, low=1, high=100)  # dimension
    W: float = option(1.0, low=0.1, high=10.0)  # length allowed to the weights
    relation = at_most(ulps=64)  # sums over all signs; equality for orthogonal points

    def given(self, rng: Generator) -> Given:
        """Points of the unit ball, one of them on its surface."""
        x = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        return Given(x / x.norm(dim=1).max(), 1.0, self.W)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The radius."""
        far = float(given.x.norm(dim=1).max())
        yield Hypothesis("no point is longer than D", far <= given.D * (1 + 1e-12), f"{far:.3g}")

    def predict(self, given: Given) -> list[float]:
        """The bound by the points, and the one by the radius."""
        x, D, W = given
        return [linear_complexity_bound(x, W), linear_complexity_radius(D, W, len(x))]

    def measure(self, given: Given) -> float:
        """The complexity, exactly."""
        return linear_complexity(given.x, given.W)

    def counterexample(self, rng: Generator) -> Given:
        """The same points, said to be a fifth as long."""
        return self.given(rng)._replace(D=0.2)

    def figure(self, given: Given) -> Figure:
        """The complexity as points come in, and what the misprinted line gives."""
        rng = torch.Generator().manual_seed(len(given.x))
        x = torch.randn(SIZES[-1], given.x.shape[1], generator=rng, dtype=torch.float64)
        x = given.D * x / x.norm(dim=1, keepdim=True)
        draws = [linear_suprema(x[:m], given.W, random_signs(300, m, rng=rng)) for m in SIZES]
        return Figure(
            f"Linear predictors on points of length D in {given.x.shape[1]} dimensions",
            x="m",
            y="R_S",
            log_x=True,
            log_y=True,
            marks=(
                Curve([linear_complexity_radius(given.D, given.W, m) for m in SIZES], SIZES,
                      label="DW/√m", role="predicted"),
                Points(SIZES, [float(v.mean()) for v in draws], label="random signs, middle 80 %",
                       low=[float(v.quantile(0.1)) for v in draws],
                       high=[float(v.quantile(0.9)) for v in draws]),
                Curve([supremum_inside(x[:m], given.W) for m in SIZES], SIZES,
                      label="supremum inside the sum", role="other", dashed=True),
            ),
        )  # fmt: skip
