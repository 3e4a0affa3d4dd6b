r"""Cover's function-counting theorem.

For s points in general position in :math:`\mathbb R^n` (every n or fewer of them linearly
independent) the number of labellings that a hyperplane through the origin realises is

.. math:: C(s, n) = 2 \sum_{i=0}^{n-1} \binom{s-1}{i}.

It follows from :math:`C(s+1, n) = C(s, n) + C(s, n-1)` with :math:`C(1, n) = C(s, 1) = 2`; all
:math:`2^s` labellings are realised iff :math:`s \le n`. The number never decreases with s; the
*fraction* :math:`C(s, n)/2^s` falls from 1 to 0 and is exactly 1/2 at :math:`s = 2n`.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Theorem 1.4; Cover (1965), "Geometrical
    and statistical properties of systems of linear inequalities", Theorem 1; Schläfli (1852).
:kind: theorem
:covers: cover-function-counting
:erratum: [wrong] The notes remark after Theorem 1.4 that after s = 2n the number of linear
    classifications decreases steeply, quickly moving toward 0. The number never decreases: C(8, 4)
    = 128 at s = 2n, C(16, 4) = 1152 at s = 4n. It is the fraction C(s, n) / 2^s that falls, from
    1/2 to 0.0176 there. [notation] The theorem speaks of s points, while its (correct) formula
    2 sum_i binom(s, i) counts the labellings of s + 1.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Level, Marks, Points, picture
from corollary.theory.connectionism.cover import (
    cover_count,
    enumerate_dichotomies,
    in_general_position,
)


class Given(NamedTuple):
    x: Float[Tensor, "s n"]  # points to be labelled


class CoverCounting(Claim[Given]):
    s: int = option(8, low=2, high=12)  # points
    n: int = option(3, low=2, high=5)  # dimension

    relation = equals()  # integers
    supposes = Suppose(
        "the points are in general position: every n or fewer are independent",
        lambda g: in_general_position(g.x),
        "The last point is the mirror image of the first, so its label follows from the first "
        "label.",
        lambda g: Given(g.x.index_copy(0, torch.tensor([len(g.x) - 1]), -2 * g.x[:1])),
    )
    symbols = "C(s, n)", "labellings enumerated"
    shows = Along("Labellings that a hyperplane realises", x="points s", first=1, log="y")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.s, self.n))

    def predict(self, given: Given) -> list[float]:
        s, n = given.x.shape
        return [float(cover_count(k, n)) for k in range(1, s + 1)]

    def measure(self, given: Given) -> list[float]:
        seen = range(1, len(given.x) + 1)
        return [float(len(enumerate_dichotomies(given.x[:s]))) for s in seen]

    @picture("Fraction of labellings that a hyperplane realises", x="points s", y="C(s, n) / 2ˢ")
    def fraction(self, trial: Trial[Given]) -> Marks:
        s, seen = range(1, 6 * self.n + 1), range(1, self.s + 1)
        yield Curve([cover_count(k, self.n) / 2**k for k in s], s, "C(s, n) / 2ˢ", "predicted")
        yield Points(
            seen, [m / 2**k for k, m in zip(seen, trial.measured, strict=True)], "enumerated"
        )
        yield Level(2 * self.n, label="s = 2n", role="other", axis="x")
        yield Level(0.5, label="1/2", role="other")
