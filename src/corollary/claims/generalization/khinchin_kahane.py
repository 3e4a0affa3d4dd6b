r"""The Khinchin-Kahane inequality: the linear bound is tight up to the root of 2.

.. math:: \mathbb E_\sigma\Bigl\|\sum_i\sigma_ix_i\Bigr\|\ge
   \frac1{\sqrt2}\Bigl(\sum_i\|x_i\|^2\Bigr)^{1/2}

for independent fair signs and any vectors, so the complexity of linear predictors of length W is at
least :math:`\frac1{\sqrt2}\frac Wm(\sum_i\|x_i\|^2)^{1/2}`. Two equal vectors attain it.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 63 (the upper bound); Latała and
    Oleszkiewicz (1994), "On the best constant in the Khinchin-Kahane inequality".
:kind: bound
:cost: instant
:covers: rademacher-linear-class
:erratum: [typo] The first line of (8.25) has the supremum inside the sum over the points, which
    would be (W/m) sum_i |x_i|; the next line has it over the whole sum.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_least, option
from corollary.theory.generalization.linear_class import linear_complexity_bound, linear_suprema
from corollary.theory.generalization.rademacher import sign_vectors


class Given(NamedTuple):
    """Points, and sign vectors with equal probability."""

    x: Float[Tensor, "m d"]
    signs: Float[Tensor, "s m"]

    def mean(self) -> float:
        """The complexity for W = 1."""
        return float(linear_suprema(self.x, 1.0, self.signs).mean())


@dataclass(frozen=True)
class KhinchinKahane(Claim[Given]):
    """The complexity over all signs, against its lower bound."""

    m: int = option(10, low=2, high=14)  # points
    d: int = option(2, low=1, high=50)  # dimension
    relation = at_least(ulps=64)  # sums over all signs; equality for two equal vectors

    def given(self, rng: Generator) -> Given:
        """Gaussian points and all signs."""
        x = torch.randn(self.m, self.d, generator=rng, dtype=torch.float64)
        return Given(x, sign_vectors(self.m))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Independence: all sign vectors."""
        count, m = len(torch.unique(given.signs, dim=0)), given.signs.shape[1]
        yield Hypothesis(
            "the signs are fair and independent", count == 2**m, f"{count} of {2**m} occur"
        )

    def predict(self, given: Given) -> float:
        """The upper bound over the root of 2."""
        return linear_complexity_bound(given.x, 1.0) / math.sqrt(2)

    def measure(self, given: Given) -> float:
        """The complexity."""
        return given.mean()

    def counterexample(self, rng: Generator) -> Given:
        """Equal points and balanced signs only: everything cancels."""
        x, signs = self.given(rng)
        return Given(x[:1].expand_as(x), signs[signs.sum(dim=1).abs() <= self.m % 2])

    def figure(self, given: Given) -> Figure:
        """The ratio for different arrangements of points."""
        m = given.signs.shape[1]
        sizes = [k for k in range(1, m + 1)]
        eye = torch.eye(m, dtype=torch.float64)
        kinds = {
            "equal points": (torch.ones(m, 1, dtype=torch.float64), "other"),
            "orthogonal points": (eye, "other"),
            "the drawn points": (given.x, "measured"),
        }
        marks = []
        for name, (x, role) in kinds.items():
            part = [Given(x[:k], sign_vectors(k)) for k in sizes]
            ratio = [p.mean() / linear_complexity_bound(p.x, 1.0) for p in part]
            marks.append(Points(sizes, ratio, label=name, role=role))
        return Figure(
            "Between 1/√2 and 1, whatever the points",
            x="m",
            y="R_S over its upper bound",
            marks=(
                *marks,
                Level(1 / math.sqrt(2), label="1/√2"),
                Level(1.0, label="Jensen's bound", role="other"),
                Curve(
                    [math.sqrt(2 / math.pi)] * 2,
                    [1, m],
                    label="√(2/π), many equal points",
                    role="other",
                    dashed=True,
                ),
            ),
        )
