r"""Rademacher complexity of bounded linear predictors.

For :math:`\{x\mapsto\langle w,x\rangle:\|w\|\le W\}` and m points with :math:`\|x_i\|\le D`

.. math:: \hat{\mathcal R}_S=\frac Wm\,\mathbb E_\sigma\Bigl\|\sum_i\sigma_ix_i\Bigr\|
   \le\frac Wm\Bigl(\sum_i\|x_i\|^2\Bigr)^{1/2}\le\frac{DW}{\sqrt m},

in any dimension. Orthogonal points attain the first inequality, points of equal length the second.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 63; Kakade, Sridharan and Tewari (2008),
    "On the complexity of linear prediction: risk bounds, margin bounds, and regularization".
:kind: bound
:uses: cauchy_schwarz
:covers: rademacher-linear-class
:erratum: [typo] The first line of (8.25) has the supremum inside the sum over the points; that
    expression equals (W/m) sum_i |x_i| and does not decay: 1 for unit vectors and W = 1, against at
    most 0.032 at m = 1000. The next line has the supremum over the whole sum.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, at_most, below, normal, option
from corollary.core.picture import Curve, Marks, over_runs, picture
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
    x: Float[Tensor, "m d"]  # points
    D: float  # length allowed to points
    W: float  # length allowed to weights


class RademacherLinear(Claim[Given]):
    m: int = option(12, low=1, high=14)  # points
    d: int = option(5, low=1, high=100)  # dimension
    W: float = option(1.0, low=0.1, high=10.0)  # length allowed to the weights

    relation = at_most(ulps=64)  # sums over all signs; equality for orthogonal points
    supposes = Suppose(
        "no point is longer than D",
        lambda g: below(g.x.norm(dim=1), g.D),
        "The stated radius D is a fifth of the length of the points.",
        D=0.2,
    )
    symbols = "bound", "R_S"
    rows = "bound from the points, W(Σ‖xᵢ‖²)^½/m", "bound from the radius, DW/√m"

    def given(self, rng: Generator) -> Given:
        x = normal(rng, self.m, self.d)
        return Given(x / x.norm(dim=1).max(), 1.0, self.W)

    def predict(self, given: Given) -> list[float]:
        x, D, W = given
        return [linear_complexity_bound(x, W), linear_complexity_radius(D, W, len(x))]

    def measure(self, given: Given) -> float:
        return linear_complexity(given.x, given.W)

    def tight(self) -> Given:
        """Orthogonal points."""
        return Given(torch.eye(9, dtype=torch.float64), 1.0, self.W)

    @picture("Linear predictors on points of length D in {d} dimensions", x="m", y="R_S", log="xy")
    def marks(self, trial: Trial[Given]) -> Marks:
        points, D, W = trial.given
        rng = torch.Generator().manual_seed(len(points))
        x = normal(rng, SIZES[-1], points.shape[1])
        x = D * x / x.norm(dim=1, keepdim=True)
        draws = [linear_suprema(x[:m], W, random_signs(300, m, rng=rng)) for m in SIZES]
        yield Curve([linear_complexity_radius(D, W, m) for m in SIZES], SIZES, "DW/√m", "predicted")
        yield over_runs(SIZES, torch.stack(draws), "random signs, middle 80 %", share=0.8)
        inside = [supremum_inside(x[:m], W) for m in SIZES]
        yield Curve(inside, SIZES, label="supremum inside the sum", role="other", dashed=True)
