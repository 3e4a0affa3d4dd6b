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
:cost: instant
:covers: rademacher-deep-relu
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, option
from corollary.theory.generalization.deep_relu import deep_relu_bound, deep_suprema
from corollary.theory.generalization.rademacher import random_signs


class Given(NamedTuple):
    """Points, the radius that the bound is told, random signs, and a seed for the ascent."""

    x: Float[Tensor, "n d"]
    radius: float
    signs: Float[Tensor, "s n"]
    seed: int


@dataclass(frozen=True)
class DeepReluComplexity(Claim[Given]):
    """Random signs fitted by gradient ascent, against both bounds, for depths 1 to L."""

    n: int = option(40, low=4, high=400)  # points
    d: int = option(4, low=1, high=50)  # dimension
    L: int = option(4, low=1, high=8)  # largest depth
    B: float = option(1.0, low=0.2, high=4.0)  # Frobenius norm of each layer
    width: int = option(8, low=1, high=64)  # hidden units
    draws: int = option(24, low=10, high=400)  # sign vectors
    relation = at_most(level=0.999)  # Student interval over the sign vectors

    def given(self, rng: Generator) -> Given:
        """Points on the unit sphere."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        signs = random_signs(self.draws, self.n, rng=rng)
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(x / x.norm(dim=1, keepdim=True), 1.0, signs, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The radius."""
        far = float(given.x.norm(dim=1).max())
        yield Hypothesis(
            "no point is longer than the radius", far <= given.radius * (1 + 1e-9), f"{far:.3g}"
        )

    def predict(self, given: Given) -> list[float]:
        """The smaller of the two bounds, for each depth."""
        return [min(self._bound(given, L, v) for v in ("peeling", "golowich"))
                for L in range(1, self.L + 1)]  # fmt: skip

    def measure(self, given: Given) -> list[Sample]:
        """What the ascent reaches, for each depth; a lower estimate of the supremum."""
        return [Sample(self._climb(given, L, self.width)) for L in range(1, self.L + 1)]

    def counterexample(self, rng: Generator) -> Given:
        """The same points, said to be a fifth as long."""
        return self.given(rng)._replace(radius=0.2)

    def _bound(self, given: Given, L: int, version: str) -> float:
        n = len(given.x)
        return deep_relu_bound(self.B, L, n, radius=given.radius, version=version)

    def _climb(self, given: Given, L: int, width: int) -> Tensor:
        rng = torch.Generator().manual_seed(given.seed)
        return deep_suprema(given.x, self.B, L, given.signs, width=width, steps=40, rng=rng)

    def figure(self, given: Given) -> Figure:
        """Bounds and what is reached, over the depth, for two widths."""
        depths = list(range(1, self.L + 1))
        far = list(range(1, max(9, self.L + 1)))
        marks = [
            Curve([self._bound(given, L, v) for L in far], far, label=name, role="predicted",
                  dashed=v == "golowich")
            for v, name in (("peeling", "(2B)^L/√n"), ("golowich", "B^L(1+√(2L log 2))/√n"))
        ]  # fmt: skip
        for width, role in ((self.width, "measured"), (2, "other")):
            found = [self._climb(given, L, width) for L in depths]
            marks.append(
                Points(depths, [float(v.mean()) for v in found],
                       label=f"ascent, width {width}, middle 80 %", role=role,
                       low=[float(v.quantile(0.1)) for v in found],
                       high=[float(v.quantile(0.9)) for v in found])
            )  # fmt: skip
        return Figure(
            f"Fitting random signs with norms B = {self.B:g}",
            x="L",
            y="R_S",
            log_y=True,
            marks=tuple(marks),
        )
