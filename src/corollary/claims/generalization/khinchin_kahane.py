r"""Khinchin-Kahane inequality: the bound for linear predictors is tight up to √2.

.. math:: \mathbb E_\sigma\Bigl\|\sum_i\sigma_ix_i\Bigr\|\ge
   \frac1{\sqrt2}\Bigl(\sum_i\|x_i\|^2\Bigr)^{1/2}

for independent fair signs and any vectors, so the complexity of linear predictors of length W is at
least :math:`\frac1{\sqrt2}\frac Wm(\sum_i\|x_i\|^2)^{1/2}`. Two equal vectors attain it.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 63 (the upper bound); Latała and
    Oleszkiewicz (1994), "On the best constant in the Khinchin-Kahane inequality".
:kind: bound
:uses: rademacher_linear
:covers: rademacher-linear-class
:erratum: [typo] The first line of (8.25) has the supremum inside the sum over the points, which
    would be (W/m) sum_i |x_i|; the next line has it over the whole sum.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, at_least, normal, option
from corollary.core.picture import Level, Marks, Points, Role, picture
from corollary.theory.generalization.linear_class import linear_complexity_bound, linear_suprema
from corollary.theory.generalization.rademacher import sign_vectors


class Given(NamedTuple):
    x: Float[Tensor, "m d"]  # points
    signs: Float[Tensor, "s m"]  # sign vectors with equal probability


class KhinchinKahane(Claim[Given]):
    m: int = option(10, low=2, high=14)  # points
    d: int = option(2, low=1, high=50)  # dimension

    relation = at_least(ulps=64)  # sums over all signs; equality for two equal vectors
    supposes = Suppose(
        "the signs are fair and independent",
        lambda g: len(g.signs.unique(dim=0)) == len(g.signs) == 2 ** g.signs.shape[1],
        "All points are equal and the signs are balanced, so everything cancels.",
        x=lambda g: g.x[:1].expand_as(g.x),
        signs=lambda g: g.signs[g.signs.sum(dim=1).abs() <= len(g.x) % 2],
    )
    symbols = "(Σ‖xᵢ‖²)^½ / (√2 m)", "R_S"

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.m, self.d), sign_vectors(self.m))

    def predict(self, given: Given) -> float:
        return linear_complexity_bound(given.x, 1.0) / math.sqrt(2)

    def measure(self, given: Given) -> float:
        return float(linear_suprema(given.x, 1.0, given.signs).mean())

    def tight(self) -> Given:
        """Two equal vectors."""
        return Given(torch.ones(2, 1, dtype=torch.float64), sign_vectors(2))

    @picture("R_S relative to its upper bound, at least 1/√2", x="m", y="R_S / its upper bound")
    def marks(self, trial: Trial[Given]) -> Marks:
        m = len(trial.given.x)
        sizes = range(1, m + 1)
        kinds = {
            "equal points": torch.ones(m, 1, dtype=torch.float64),
            "orthogonal points": torch.eye(m, dtype=torch.float64),
            "the drawn points": trial.given.x,
        }
        yield Level(1 / math.sqrt(2), label="1/√2")
        yield Level(1.0, label="Jensen's bound", role="other")
        yield Level(math.sqrt(2 / math.pi), label="√(2/π), many equal points", role="other")
        for name, x in kinds.items():
            cases = [Given(x[:k], sign_vectors(k)) for k in sizes]
            ratio = [self.measure(c) / linear_complexity_bound(c.x, 1.0) for c in cases]
            role: Role = "measured" if x is trial.given.x else "other"
            yield Points(sizes, ratio, label=name, role=role)
