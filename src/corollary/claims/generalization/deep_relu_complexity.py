r"""Norm-based complexity of deep ReLU networks.

For networks :math:`x\mapsto W_L\sigma(W_{L-1}\cdots\sigma(W_1x))` of any width with
:math:`\|W_l\|_F\le B` and n points with :math:`\|x_i\|\le1`

.. math:: \hat{\mathcal R}_S\le\frac{(2B)^L}{\sqrt n}\qquad\text{and}\qquad
   \hat{\mathcal R}_S\le\frac{B^L(1+\sqrt{2L\log2})}{\sqrt n} .

Neither depends on the width. With B = 1 the first grows like :math:`2^L` while what gradient ascent
finds shrinks with the depth.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 65; Neyshabur, Tomioka and Srebro
    (2015), "Norm-based capacity control in neural networks"; Golowich, Rakhlin and Shamir (2018),
    "Size-independent sample complexity of neural networks", Theorem 1.
:kind: bound
:uses: rademacher_contraction, rademacher_linear
:covers: rademacher-deep-relu
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, below, normal, option
from corollary.theory.generalization.deep_relu import deep_relu_bound, deep_suprema
from corollary.theory.generalization.rademacher import random_signs

VERSIONS: tuple[Literal["peeling", "golowich"], ...] = ("peeling", "golowich")


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    radius: float  # that the bound is told
    signs: Float[Tensor, "s n"]  # random


class DeepReluComplexity(Claim[Given]):
    n: int = option(40, low=4, high=400)  # points
    d: int = option(4, low=1, high=50)  # dimension
    L: int = option(4, low=1, high=8)  # largest depth
    B: float = option(1.0, low=0.2, high=4.0)  # Frobenius norm of each layer
    width: int = option(8, low=1, high=64)  # hidden units
    draws: int = option(24, low=10, high=400)  # sign vectors

    relation = at_most(level=0.999)  # Student interval over the sign vectors
    supposes = (
        Suppose(
            "no point is longer than the radius",
            lambda g: below(g.x.norm(dim=1), g.radius),
            "The stated radius is a fifth of the length of the points.",
            radius=0.2,
        ),
        Suppose(
            "the signs are fair",
            lambda g: bool((g.signs.mean(dim=1).abs() <= 6 / g.signs.shape[1] ** 0.5).all()),
            "All signs and all points are equal, so nothing cancels.",
            x=lambda g: g.x[:1].expand_as(g.x),
            signs=lambda g: torch.ones_like(g.signs),
        ),
    )
    symbols = "smaller of the two bounds", "R_S, what the ascent reaches"
    shows = Along(
        "Rademacher complexity of deep ReLU networks", x="L", first=1, log="y", without=False
    )

    def given(self, rng: Generator) -> Given:
        x, signs = normal(rng, self.n, self.d), random_signs(self.draws, self.n, rng=rng)
        return Given(x / x.norm(dim=1, keepdim=True), 1.0, signs)

    def predict(self, given: Given) -> list[float]:
        def bound(L: int) -> float:
            size = (self.B, L, len(given.x))
            return min(deep_relu_bound(*size, radius=given.radius, version=v) for v in VERSIONS)

        return [bound(L) for L in range(1, self.L + 1)]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        depths, how = range(1, self.L + 1), {"width": self.width, "steps": 40}
        return [
            Sample(deep_suprema(given.x, self.B, L, given.signs, **how, rng=rng)) for L in depths
        ]

    def tight(self) -> Given:
        """One point: one layer fits its sign with all of its norm, half of the bound."""
        one = torch.ones(1, 1, dtype=torch.float64)
        return Given(one, 1.0, torch.tensor([[1.0], [-1.0]], dtype=torch.float64))
