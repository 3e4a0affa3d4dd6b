r"""Maurey's lemma for signed measures.

Let :math:`g=\int g_w\,d\mu(w)` with a signed measure :math:`\mu=\mu_+-\mu_-` of mass
:math:`\|\mu\|_1`. Draw w from :math:`|\mu|/\|\mu\|_1` and let s be the sign of the part it comes
from. Then :math:`s\|\mu\|_1g_w` has mean g, and

.. math:: \mathbb{E}\Bigl\|g-\frac{\|\mu\|_1}k\sum_{i\le k}s_i\,g_{w_i}\Bigr\|^2
   \le\frac{\|\mu\|_1^2\,\sup_w\|g_w\|^2}k .

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 29 and the proof of Theorem 27.
:kind: bound
:cost: instant
:covers: maurey-signed-measure
:erratum: [typo] In the chain of equalities in the proof of Theorem 27 the second line reads
    + ||mu_-||_1 E_{mu_-}; the sign must be minus. Also the finite estimate lacks the factor 1/m,
    and its sign is that of the density p(w_j). With the plus sign, which is the counterexample
    here, the error does not fall with k at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, generator
from corollary.theory.approximation.maurey import SignedMeasure

SIZES = (8, 32, 128, 512)
X = (torch.arange(200, dtype=torch.float64) + 0.5) / 200  # points of [0, 1], equally weighted


class Given(NamedTuple):
    """A measure on thresholds, whether its signs are used, and a seed."""

    measure: SignedMeasure
    signed: bool
    seed: int


@dataclass(frozen=True)
class MaureySigned(Claim[Given]):
    """Squared errors of networks of drawn thresholds at growing k."""

    N: int = 60  # thresholds in the measure
    trials: int = 200  # networks of each size
    relation = at_most(level=0.999)  # the mean over the drawn networks

    def given(self, rng: Generator) -> Given:
        """Thresholds in [0, 1] with weights of both signs."""
        b = torch.rand(self.N, 1, generator=rng, dtype=torch.float64)
        weights = torch.randn(self.N, generator=rng, dtype=torch.float64)
        return Given(
            SignedMeasure(b, weights), True, int(torch.randint(2**31, (1,), generator=rng))
        )

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Draws carry the sign of their part."""
        yield Hypothesis("each draw has the sign of the part of the measure it comes from",
                         given.signed)  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The bound; thresholds are at most 1 on a set of measure 1."""
        return [given.measure.mass**2 * _largest(given) / k for k in SIZES]

    def measure(self, given: Given) -> list[Sample]:
        """Errors of drawn networks."""
        return [Sample(e.tolist()) for e in _errors(given, self.trials)]

    def counterexample(self, rng: Generator) -> Given:
        """A plus in place of the minus."""
        return self.given(rng)._replace(signed=False)

    def figure(self, given: Given) -> Figure:
        """With signs and without."""
        marks = []
        for signed in (True, False):
            errors = _errors(given._replace(signed=signed), self.trials)
            marks.append(
                Points(SIZES, [float(e.mean()) for e in errors],
                       label="with signs, middle 80 %" if signed else "without signs",
                       role="measured" if signed else "other",
                       low=[float(e.quantile(0.1)) for e in errors],
                       high=[float(e.quantile(0.9)) for e in errors])
            )  # fmt: skip
        bound = Curve(self.predict(given), SIZES, label="‖μ‖² sup ‖g‖² / k", role="predicted")
        return Figure(
            "Drawn thresholds need the sign of their part",
            x="k",
            y="squared error",
            log_x=True,
            log_y=True,
            marks=(bound, *marks),
        )


def _largest(given: Given) -> float:
    units = (X >= given.measure.points).double()  # (N, points)
    return float(units.mean(1).max())


@lru_cache(maxsize=4)
def _errors(given: Given, trials: int) -> list[Float[Tensor, " trials"]]:
    rng = generator(given.seed)
    units = (X >= given.measure.points).double()
    target = given.measure.weights @ units
    out = []
    for k in SIZES:
        _, signs, drawn = given.measure.sample(trials * k, rng=rng)
        signs = signs if given.signed else torch.ones_like(signs)
        counts = torch.zeros(trials, len(units), dtype=torch.float64)  # of each unit, with sign
        counts.scatter_add_(1, drawn.reshape(trials, k), signs.reshape(trials, k))
        out.append((given.measure.mass / k * counts @ units - target).square().mean(1))
    return out
